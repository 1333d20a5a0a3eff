/** Narrower than this, no panes stand side by side. */
export const TWO_PANES_FROM = 100
/** From here on three stand side by side. */
export const THREE_PANES_FROM = 160
/** Panes stand above each other only where each gets this many rows. */
const LEAST_STACKED_ROWS = 14

/** A pane that gives columns to another keeps this part of its share, and at least this many: of two, or of three. */
const SHARE_LEFT = 4 / 5
const LEAST_LEFT = { two: 60, three: 48 }

/** What a pane gets of the area of its group. */
export type PaneShare = {
  /** Share of the width beside its neighbours, or of the height between those above and below it. */
  weight: number
  /**
   * Columns in which its names are whole, of a pane that is so wide; absent where that changes with the row that is
   * chosen in another one, since no border moves from row to row.
   */
  needs?: ((width: number) => number) | undefined
}

/** Where a pane stands in the area of its group. */
export type PaneBox = { top: number; left: number; width: number; height: number }

export type Arrangement = 'one' | 'stacked' | 'beside'

type Size = {
  width: number
  height: number
  /** Read aloud, panes come one after the other, however long their lines are. */
  neverBeside?: boolean
}

/**
 * How panes stand in an area of this size, and how many of them: beside each other where it is wide, above each other
 * where it is only tall.
 */
export function arrangementOf(size: Size, zoomed = false): { arrangement: Arrangement; room: number } {
  const stacked = Math.min(3, Math.floor(size.height / LEAST_STACKED_ROWS))
  if (zoomed) return { arrangement: 'one', room: 1 }
  if (size.width >= TWO_PANES_FROM && !size.neverBeside)
    return { arrangement: 'beside', room: size.width >= THREE_PANES_FROM ? 3 : 2 }
  return stacked > 1 ? { arrangement: 'stacked', room: stacked } : { arrangement: 'one', room: 1 }
}

/** Which panes show: as many neighbours as there is room for, always with the focused one. */
function shownFrom(options: { room: number; count: number; focused: number; first: number | undefined }): number {
  const { room, count, focused } = options
  const wanted = Math.min(options.first ?? 0, focused)
  return Math.max(0, Math.min(Math.max(wanted, focused - (room - 1)), count - room))
}

/** Shares of a length by weight, which add up to it; what weighs nothing gets nothing. */
function shares(length: number, weights: readonly number[]): number[] {
  const total = sumOf(weights)
  const end = (count: number): number => Math.floor((length * sumOf(weights.slice(0, count))) / total)
  return weights.map((_, index) => end(index + 1) - end(index))
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/** Widths by weight, of which those that are too narrow get what the others do without. */
function widthsByNeed(width: number, panes: readonly PaneShare[]): number[] {
  const byWeight = shares(
    width,
    panes.map(pane => pane.weight),
  )
  const needs = panes.map((pane, index) => pane.needs?.(byWeight[index]!) ?? 0)
  const missing = byWeight.map((share, index) => Math.max(0, needs[index]! - share))
  const leastLeft = panes.length > 2 ? LEAST_LEFT.three : LEAST_LEFT.two
  const spare = byWeight.map((share, index) => {
    const least = Math.max(needs[index]!, leastLeft, Math.ceil(share * SHARE_LEFT))
    return Math.max(0, share - least)
  })
  const moved = Math.min(sumOf(missing), sumOf(spare))
  if (moved === 0) return byWeight
  const gained = shares(moved, missing)
  const given = shares(moved, spare)
  return byWeight.map((share, index) => share + gained[index]! - given[index]!)
}

/**
 * The box of each pane of a group, undefined for one that does not show. The boxes tile the area. `first` stays the
 * first of them as long as the focused one shows with it; `zoomed` gives everything to the focused one.
 */
export function paneBoxes(
  options: Size & { panes: readonly PaneShare[]; focused: number; first?: number | undefined; zoomed?: boolean },
): (PaneBox | undefined)[] {
  const { width, height, panes, focused } = options
  const { arrangement, room } = arrangementOf(options, options.zoomed)
  const shown = Math.min(room, panes.length)
  const first = shownFrom({ room: shown, count: panes.length, focused, first: options.first })
  const inView = panes.slice(first, first + shown)
  const lengths =
    arrangement === 'stacked'
      ? shares(
          height,
          inView.map(pane => pane.weight),
        )
      : widthsByNeed(width, inView)
  let used = 0
  return panes.map((_, index) => {
    const length = lengths[index - first]
    if (length === undefined) return undefined
    const at = used
    used += length
    return arrangement === 'stacked'
      ? { top: at, left: 0, width, height: length }
      : { top: 0, left: at, width: length, height }
  })
}
