/** Exit codes of the program, one meaning each; no network trouble ever becomes 1. */
export const EXIT = {
  done: 0,
  /** An eval verdict failed, or a server changed in a way that breaks callers, and nothing else. */
  failedVerdict: 1,
  /** Wrong usage or configuration. */
  usage: 2,
  /** Cancelled, undecided, unreachable, timed out, refused. */
  noVerdict: 3,
  /** By Ctrl+C or a signal; a run that was followed goes on. */
  interrupted: 130,
} as const
