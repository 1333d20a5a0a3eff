/** Returns a command as a person types it, with each word in quotes, because paths may have spaces. */
export const commandLineOf = (...words: readonly string[]): string => words.map(word => `'${word}'`).join(' ')
