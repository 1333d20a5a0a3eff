/** What a table has under a word from outside; what every object inherits, such as `constructor`, is not in it. */
export function ownValue<T>(table: Readonly<Record<string, T>>, word: string | null | undefined): T | undefined {
  return word != null && Object.hasOwn(table, word) ? table[word] : undefined
}
