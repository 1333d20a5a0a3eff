import type { ReportedRun } from '../../domain/runs/suite-state.ts'
import { formatCount, UNKNOWN } from '../../lib/format.ts'

/** Columns of `3/3 of 6 cases`. */
export const COVERED = 14

/** Columns of `980/1,000`. */
export const PASSED = 9

/**
 * Returns how many of the graded ones passed, and how much that covers: `6/6`, `3/3 of 6 cases`, and for a run of which
 * five cases were not graded `21/42 of 47`.
 */
export function coveredText({ outcome, counts, coverage }: ReportedRun): string {
  const { cases, graded, isRerun } = coverage
  if (outcome !== 'in-flight' && graded && graded.count < graded.total) {
    const { passed, count, total } = graded
    return coveredPart(passed, count, total)
  }
  const passed = counts ? passedOfGraded(counts) : UNKNOWN
  if (passed === UNKNOWN) return passed
  if (!cases) return isRerun ? `${passed} rerun` : passed
  if (cases.selected >= cases.total) return passed
  // The unit may not be cases: a case may run on several models.
  const ofCases = counts && counts.passed + counts.failed === cases.selected
  const total = formatCount(cases.total)
  return ofCases
    ? fitting(`${passed} of ${total} cases`, `${passed} of ${total}`)
    : fitting(`${passed}, ${formatCount(cases.selected)} of ${total} cases`, `${passed} of a part`)
}

/** Returns the words if they fit the column, else a shorter form; never a part of a word. */
export function fitting(words: string, short: string): string {
  return words.length <= COVERED ? words : short
}

/** Returns `3/5`: passed of graded, in the run's own unit; unknown before anything was graded. */
export function passedOfGraded({ passed, failed }: { passed: number; failed: number }): string {
  return passed + failed > 0 ? partOf(passed, passed + failed) : UNKNOWN
}

/** Returns `6/6 of 12`, or `1.9k/2k of a part` if the shortened numbers would hide that some were not graded. */
function coveredPart(passed: number, count: number, total: number): string {
  const part = partOf(passed, count)
  const whole = shortCount(total, 'up')
  return `${part} of ${part.endsWith(`/${whole}`) ? 'a part' : whole}`
}

/** Returns `980/1,000`, or `9.8k/10k` if that does not fit, which never makes a part look like the whole. */
function partOf(part: number, whole: number): string {
  const text = `${formatCount(part)}/${formatCount(whole)}`
  if (text.length <= PASSED) return text
  return `${shortCount(part)}/${shortCount(whole, part < whole ? 'up' : 'down')}`
}

function shortCount(count: number, to: 'up' | 'down' = 'down'): string {
  if (count < 1000) return String(count)
  return `${(to === 'up' ? Math.ceil : Math.floor)(count / 100) / 10}k`
}
