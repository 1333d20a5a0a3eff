/** Exit codes of the program; network trouble never becomes 1. */
export const EXIT = { done: 0, failedVerdict: 1, usage: 2, noVerdict: 3, interrupted: 130 } as const

/** The meaning of each exit code for the caller. */
export const EXIT_MEANINGS: Readonly<Record<keyof typeof EXIT, string>> = {
  done: 'Done, or the verdict is "passed".',
  failedVerdict:
    'An eval verdict or a gate failed, a server changed in a way that breaks callers, fails the conformance suite or ' +
    'offers a skill that fails its check, or "now" found something red, and nothing else.',
  usage: 'Wrong usage or configuration; nothing was sent.',
  noVerdict: 'No verdict: cancelled, undecided, unreachable, timed out, refused.',
  interrupted: 'Interrupted by Ctrl+C; another signal gives 128 plus its number. A followed run continues.',
}
