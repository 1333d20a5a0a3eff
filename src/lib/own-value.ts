/** Returns the table's own value for a word from outside, ignoring inherited properties such as `constructor`. */
export function ownValue<T>(table: Readonly<Record<string, T>>, word: string | null | undefined): T | undefined {
  return word != null && Object.hasOwn(table, word) ? table[word] : undefined
}
