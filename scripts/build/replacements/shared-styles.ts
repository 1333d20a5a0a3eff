type Code = { code: string; endCode: string }

/** Looks that are told apart; a theme has a few dozen. */
const most = 1000

/** The look of a cell without any style. */
export const noStyles: readonly Code[] = []

let looks = new Map<string, readonly Code[]>()

/** The same list for every list of the same codes. */
export function shared(styles: readonly Code[]): readonly Code[] {
  if (styles.length === 0) return noStyles
  const look = JSON.stringify(styles.map(({ code, endCode }) => [code, endCode]))
  const known = looks.get(look)
  if (known !== undefined) return known
  if (looks.size >= most) looks = new Map()
  looks.set(look, styles)
  return styles
}
