/** How a row differs from the previous answer. */
export type Change<Item> = { kind: 'new' } | { kind: 'changed'; from: Item }

/** `+3` between two counts; empty if either is unknown or nothing changed. */
export function deltaText(from: number | null | undefined, to: number | null | undefined): string | undefined {
  if (from == null || to == null || from === to) return undefined
  return to > from ? `+${to - from}` : String(to - from)
}
