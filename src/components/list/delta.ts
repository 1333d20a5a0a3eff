/** How a row differs from the previous answer. */
export type Change<Item> = { kind: 'new' } | { kind: 'changed'; from: Item }

/** Returns the difference of two counts, such as `+3`; nothing if either is unknown or they are equal. */
export function deltaText(from: number | null | undefined, to: number | null | undefined): string | undefined {
  if (from == null || to == null || from === to) return undefined
  return to > from ? `+${to - from}` : String(to - from)
}
