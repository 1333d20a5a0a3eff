/** A color as shares of red, green and blue from 0 to 1. */
type Shares = readonly [red: number, green: number, blue: number]

function sharesOf(hex: string): Shares {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
  return [red, green, blue]
}

/** Returns the relative luminance of a `#rrggbb` as WCAG 2 defines it, 0 black to 1 white. */
export function luminance(hex: string): number {
  const [red, green, blue] = sharesOf(hex).map(share =>
    share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4,
  ) as unknown as Shares
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** Returns the contrast of two `#rrggbb` as WCAG 2 defines it, 1 to 21. */
export function contrastOf(one: string, other: string): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

/** Returns the color that is this share, from 0 to 1, of the way from one color to the other. */
export function mix(from: string, to: string, share: number): string {
  const target = sharesOf(to)
  const mixed = sharesOf(from).map((value, index) => value + (target[index]! - value) * share)
  return `#${mixed
    .map(value =>
      Math.round(value * 255)
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}

/**
 * Luminance above which a dark background is light enough for a darker selection, and below which a light one is dark
 * enough for a lighter selection.
 */
const GREY_GROUND = { dark: 0.016, light: 0.92 } as const

/**
 * Returns the background of the selected row on a terminal's own background: slightly towards the text's color, or on a
 * greyish background slightly away from it, so that all colors stay readable on it.
 */
export function quietGround(ground: string, text: string): string {
  const level = luminance(ground)
  if (level <= 0.5) return level < GREY_GROUND.dark ? mix(ground, text, 0.13) : mix(ground, '#000000', 0.5)
  return level > GREY_GROUND.light ? mix(ground, text, 0.07) : mix(ground, '#ffffff', 0.6)
}

/** One of the 256 colors: its number, and its color in xterm. */
export type Indexed = { number: number; hex: string }

/** The cube and the greys of the 256 colors, which no terminal changes. */
const INDEXED: readonly Indexed[] = Array.from({ length: 240 }, (_, index) => {
  const number = index + 16
  const cube = [Math.floor(index / 36), Math.floor(index / 6) % 6, index % 6].map(digit => digit && 55 + 40 * digit)
  const shares = number >= 232 ? Array<number>(3).fill(8 + 10 * (number - 232)) : cube
  return { number, hex: `#${shares.map(share => share.toString(16).padStart(2, '0')).join('')}` }
})

/** Returns the most similar one of the 256 colors that suit; the first if none does. */
export function nearestIndexed(hex: string, suits: (candidate: Indexed) => boolean = () => true): Indexed {
  const wanted = sharesOf(hex)
  let nearest = INDEXED[0]!
  let least = Infinity
  for (const candidate of INDEXED) {
    const far = distance(wanted, candidate.hex)
    if (far >= least || !suits(candidate)) continue
    nearest = candidate
    least = far
  }
  return nearest
}

/**
 * Returns how different two colors look: differences of their channels, weighted by how well the eye distinguishes
 * them.
 */
function distance(one: Shares, other: string): number {
  const to = sharesOf(other)
  return 2 * (one[0] - to[0]) ** 2 + 4 * (one[1] - to[1]) ** 2 + 3 * (one[2] - to[2]) ** 2
}
