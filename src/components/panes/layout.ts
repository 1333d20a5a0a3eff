/** Minimum width for two panes side by side. */
export const TWO_PANES_FROM = 100
/** Minimum width for three panes side by side. */
export const THREE_PANES_FROM = 160
/** Panes are stacked if each gets this many rows. */
const LEAST_STACKED_ROWS = 14
/** With fewer rows, a short list is shown in full above its neighbor, which gets at least this many rows. */
const LEAST_BELOW_ROWS = 12

/**
 * A pane that gives columns to another keeps this part of its share, and at least this many columns, depending on
 * whether two or three panes are visible.
 */
const SHARE_LEFT = 4 / 5
const LEAST_LEFT = { two: 60, three: 48 }
/** Minimum columns of a list that needs less than its share, for its title and its notices. */
const LEAST_LIST = 48

/** A pane's share of the area of its group. */
export type PaneShare = {
  /** Weight of the width among neighbors side by side, or of the height if stacked. */
  weight: number
  /**
   * Returns the columns that show the names of a pane of this width in full; absent if they depend on the selection in
   * another pane, since borders must not move from row to row.
   */
  needs?: ((width: number) => number) | undefined
  /** Rows that show the whole pane, with its top edge; absent if it is unlimited, or an empty list. */
  rows?: number | undefined
}

/** The position of a pane in the area of its group. */
export type PaneBox = { top: number; left: number; width: number; height: number }

export type Arrangement = 'one' | 'stacked' | 'beside'

type Size = {
  width: number
  height: number
  /** For a screen reader panes follow each other, however long their lines are. */
  neverBeside?: boolean
  /** The rows of its list are sentences, and half the width would show only their beginnings. */
  isOfSentences?: boolean | undefined
}

type Group = Size & {
  panes: readonly PaneShare[]
  focused: number
  /** The first visible pane, as long as the focused one is visible with it. */
  first?: number | undefined
  /** The focused pane takes the whole area. */
  zoomed?: boolean
}

/**
 * Returns how panes are arranged in an area of this size, and how many at most: side by side if it is wide, stacked if
 * it is tall. Lists of sentences get the whole width up to the width at which three panes fit side by side.
 */
export function arrangementOf(size: Size): { arrangement: Arrangement; room: number } {
  const stacked = Math.min(3, Math.floor(size.height / LEAST_STACKED_ROWS))
  const besideFrom = size.isOfSentences && stacked > 1 ? THREE_PANES_FROM : TWO_PANES_FROM
  if (size.width >= besideFrom && !size.neverBeside)
    return { arrangement: 'beside', room: size.width >= THREE_PANES_FROM ? 3 : 2 }
  return stacked > 1 ? { arrangement: 'stacked', room: stacked } : { arrangement: 'one', room: 1 }
}

/**
 * Whether the focused pane is a short list with its neighbor visible below it, although there is otherwise room for one
 * pane only. An item opened in the list gets the whole area.
 */
function isPreviewed(group: Group): boolean {
  const { panes, focused, height, neverBeside } = group
  const { rows } = panes[focused]!
  if (group.zoomed || neverBeside || focused === panes.length - 1 || rows === undefined) return false
  return arrangementOf(group).arrangement === 'one' && rows + LEAST_BELOW_ROWS <= height
}

/** Returns how the panes of a group are arranged. */
export function groupArrangement(group: Group): Arrangement {
  if (group.zoomed || group.panes.length === 1) return 'one'
  return isPreviewed(group) ? 'stacked' : arrangementOf(group).arrangement
}

/** Returns the first visible pane: as many neighbors as fit are visible, always with the focused one. */
function shownFrom({ room, panes, focused, first = 0 }: Group & { room: number }): number {
  const count = panes.length
  const wanted = Math.min(first, focused)
  return Math.max(0, Math.min(Math.max(wanted, focused - (room - 1)), count - room))
}

/** Divides a length by weight, without a remainder; a weight of zero gets nothing. */
function shares(length: number, weights: readonly number[]): number[] {
  const total = sumOf(weights)
  if (total === 0) return weights.map(() => 0)
  const end = (count: number): number => Math.floor((length * sumOf(weights.slice(0, count))) / total)
  return weights.map((_, index) => end(index + 1) - end(index))
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0)
}

/**
 * Returns the widths by weight. Panes that are too narrow get columns that others do not need: from a list all blank
 * ones, and if that is not enough, from a text a part of its share.
 */
function widthsByNeed(width: number, panes: readonly PaneShare[]): number[] {
  const byWeight = shares(
    width,
    panes.map(pane => pane.weight),
  )
  const needs = panes.map((pane, index) => pane.needs?.(byWeight[index]!))
  const leastLeft = panes.length > 2 ? LEAST_LEFT.three : LEAST_LEFT.two
  const missing = byWeight.map((share, index) => Math.max(0, (needs[index] ?? 0) - share))
  const blank = byWeight.map((share, index) => Math.max(0, share - Math.max(LEAST_LIST, needs[index] ?? share)))
  const ofText = byWeight.map((share, index) =>
    needs[index] === undefined ? Math.max(0, share - Math.max(leastLeft, Math.ceil(share * SHARE_LEFT))) : 0,
  )
  const moved = Math.min(sumOf(missing), sumOf(blank) + sumOf(ofText))
  if (moved === 0) return byWeight
  const movedBlank = Math.min(moved, sumOf(blank))
  const gained = shares(moved, missing)
  const givenBlank = shares(movedBlank, blank)
  const given = shares(moved - movedBlank, ofText)
  return byWeight.map((share, index) => share + gained[index]! - givenBlank[index]! - given[index]!)
}

/**
 * Returns heights by weight. A short list gets at most the rows that it needs, and all of them if the pane below can do
 * with the rest; the last pane gets what is left.
 */
function heightsByNeed(height: number, panes: readonly PaneShare[]): number[] {
  const byWeight = shares(
    height,
    panes.map(pane => pane.weight),
  )
  const most = height - LEAST_BELOW_ROWS
  const upper = panes.slice(0, -1).map(({ rows }, index) => {
    if (rows === undefined) return byWeight[index]!
    return panes.length === 2 && rows <= most ? rows : Math.min(rows, byWeight[index]!)
  })
  return [...upper, height - sumOf(upper)]
}

/** Returns the box of each pane of a group, undefined for hidden ones. The boxes tile the area. */
export function paneBoxes(group: Group): (PaneBox | undefined)[] {
  const { width, height, panes } = group
  const arrangement = groupArrangement(group)
  const isPreview = isPreviewed(group)
  const room = isPreview ? 2 : arrangement === 'one' ? 1 : arrangementOf(group).room
  const shown = Math.min(room, panes.length)
  const first = isPreview ? group.focused : shownFrom({ ...group, room: shown })
  const inView = panes.slice(first, first + shown)
  const lengths = arrangement === 'stacked' ? heightsByNeed(height, inView) : widthsByNeed(width, inView)
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
