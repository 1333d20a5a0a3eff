/** How a row differs from the answer before. */
export type Change<Item> = { kind: 'new' } | { kind: 'changed'; from: Item }

/** `+3` between two counts; nothing if either is not known or nothing changed. */
export function deltaText(from: number | null | undefined, to: number | null | undefined): string | undefined {
  if (from == null || to == null || from === to) return undefined
  return to > from ? `+${to - from}` : String(to - from)
}
