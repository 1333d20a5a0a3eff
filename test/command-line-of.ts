/** A command as a person types it, each word in quotes: paths may have spaces. */
export const commandLineOf = (...words: readonly string[]): string => words.map(word => `'${word}'`).join(' ')
