import { CLASS_LABELS, TRIAL_CLASSES, type TrialClass } from '../../../domain/runs/trial-class.ts'
import { formatCount } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import type { Span } from '../../../components/viewer/source.ts'
import { classLook } from '../../../components/records/trial-look.ts'

type WallCell = TrialClass | 'unread'

/** A cell for each trial in the order of the run; in a long run for several, showing the worst of them. */
export type Wall = { cells: readonly WallCell[]; columns: number; step: 1 | 2; trialsEach: number }

/** @param total number of trials of the run, of which the last ones may be unread */
export function wallOf(classes: readonly TrialClass[], total: number, room: { columns: number; rows: number }): Wall {
  const count = Math.max(classes.length, total)
  const wide = { step: 2, columns: columnsOf(room.columns, 2) } as const
  const close = { step: 1, columns: columnsOf(room.columns, 1) } as const
  const { step, columns } = count <= wide.columns * room.rows ? wide : close
  const trialsEach = Math.max(1, Math.ceil(count / (columns * room.rows)))
  const cells = Array.from({ length: Math.ceil(count / trialsEach) }, (_, index) => {
    const from = index * trialsEach
    return worstOf(classes.slice(from, from + trialsEach), Math.min(trialsEach, count - from))
  })
  return { cells, columns, step, trialsEach }
}

/** Returns the columns of a wall: a multiple of ten, which is easy to count, if there is room for more than ten. */
function columnsOf(width: number, step: number): number {
  const most = Math.max(1, Math.floor((width + step - 1) / step))
  return most > 10 ? most - (most % 10) : most
}

/** Returns the worst class; unread trials may be worse than those that ended well. */
function worstOf(classes: readonly TrialClass[], count: number): WallCell {
  const worst = classes.reduce((least, each) => Math.min(least, TRIAL_CLASSES.indexOf(each)), Infinity)
  const isEnded = !(worst <= TRIAL_CLASSES.indexOf('pending'))
  return isEnded && classes.length < count ? 'unread' : TRIAL_CLASSES[worst]!
}

/** Returns the rows of a wall. @param chosen the cell under the cursor */
export function wallRows({ cells, columns, step }: Wall, symbols: Symbols, chosen?: number): Span[][] {
  return Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) => {
    const spans: Span[] = []
    cells.slice(row * columns, (row + 1) * columns).forEach((cell, column) => {
      const isChosen = row * columns + column === chosen
      const tone = toneOf(cell)
      const gap = column + 1 < columns ? ' '.repeat(step - 1) : ''
      const last = spans.at(-1)
      if (isChosen) spans.push({ tone, text: signOf(cell, symbols), isCursor: true }, { tone, text: gap })
      else if (last?.tone === tone) last.text += signOf(cell, symbols) + gap
      else spans.push({ tone, text: signOf(cell, symbols) + gap })
    })
    return spans
  })
}

/** Returns the meaning of the wall's signs, and for how many trials each stands. */
export function wallLegend({ cells, trialsEach }: Wall, symbols: Symbols): Span[] {
  const shown = new Map(cells.map(cell => [signOf(cell, symbols), cell]))
  const signs = [...shown].flatMap(([sign, cell], index): Span[] => [
    { text: `${index > 0 ? '  ' : ''}${sign}`, tone: toneOf(cell) },
    { text: ` ${MEANINGS[cell] ?? 'no verdict'}`, tone: 'muted' },
  ])
  return trialsEach > 1 ? [...signs, { text: `  each the worst of ${formatCount(trialsEach)}`, tone: 'muted' }] : signs
}

const MEANINGS: Partial<Record<WallCell, string>> = {
  passed: CLASS_LABELS.passed.word,
  failed: CLASS_LABELS.failed.word,
  running: CLASS_LABELS.running.word,
  pending: CLASS_LABELS.pending.word,
  cancelled: CLASS_LABELS.cancelled.word,
  skipped: CLASS_LABELS.cancelled.word,
  unread: 'not read',
}

function toneOf(cell: WallCell): Span['tone'] {
  return cell === 'unread' ? 'muted' : classLook(cell).tone
}

function signOf(cell: WallCell, { heat, live, cancelled }: Symbols): string {
  if (cell === 'passed' || cell === 'failed' || cell === 'unread') return heat[cell]
  if (cell === 'running') return live
  if (cell === 'pending') return heat.absent
  return cell === 'cancelled' || cell === 'skipped' ? cancelled : heat.ungraded
}
