import type { FailureAt, Flaky } from './tests.ts'

/** Maximum number of lines of a summary, whatever failed. */
const MOST_LINES = 200
const [LEAST_LINES_EACH, MOST_LINES_EACH] = [6, 60]
/** Number of lines from the second output of a test that then passed. */
const SECOND_LINES = 6

/**
 * Lists failed tests and tests that failed only once, with the first error and the last screens of its terminals, in at
 * most 200 lines.
 */
export function summary(failed: readonly FailureAt[], flaky: readonly Flaky[]): string {
  const entries = [
    ...failed.map(each => ({ head: `failed: ${nameOf(each)}`, body: bodyOf(each) })),
    ...flaky.map(each => ({
      head: `flaky: ${nameOf(each)}`,
      body: [...bodyOf(each), 'the second run, alone, passed:', ...linesOf(each.secondOutput).slice(-SECOND_LINES)],
    })),
  ]
  const room = Math.floor((MOST_LINES - 2) / Math.max(1, entries.length)) - 1
  const most = Math.min(MOST_LINES_EACH, Math.max(LEAST_LINES_EACH, room))
  const lines = entries.flatMap(({ head, body }) => [head, ...cut(body, most).map(line => `  ${line}`)])
  if (lines.length <= MOST_LINES) return lines.join('\n')
  return [...lines.slice(0, MOST_LINES - 1), `… and ${entries.length} failures in all; see above`].join('\n')
}

function nameOf({ checkout, failure }: FailureAt): string {
  const place = [failure.project, failure.file, failure.name].filter(Boolean).join(' > ')
  return checkout.title ? `${place} (${checkout.title})` : place
}

function bodyOf({ failure }: FailureAt): string[] {
  return [failure.errors[0] ?? 'no error is known', ...failure.screens.slice(-2)].flatMap(linesOf)
}

/** Keeps the beginning, with the error, and the end, with the last screen. */
function cut(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines]
  const head = Math.ceil(most / 2)
  return [...lines.slice(0, head), `… ${lines.length - most + 1} lines …`, ...lines.slice(head - most + 1)]
}

const linesOf = (text: string): string[] => text.split('\n').filter(line => line.trim() !== '')
