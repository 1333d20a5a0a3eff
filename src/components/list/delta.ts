/** How a row differs from the answer before. */
export type Change<Item> = { kind: 'new' } | { kind: 'changed'; from: Item }

const COUNT = /^[+-]?\d[\d,]*$/

function countOf(text: string): number | undefined {
  return COUNT.test(text) ? Number(text.replaceAll(',', '')) : undefined
}

/** `+3` between two counts as cells show them; nothing where either is no count or nothing changed. */
export function deltaText(from: string, to: string): string | undefined {
  const [earlier, now] = [countOf(from), countOf(to)]
  if (earlier === undefined || now === undefined || earlier === now) return undefined
  return now > earlier ? `+${now - earlier}` : String(now - earlier)
}
