/** The time or memory that one task on untrusted data may use, and the message if it exceeds that. */
export type WorkLimit = {
  /** The limited work, as named in the first column of docs/limits.md. */
  of: string
  unit: 'milliseconds' | 'megabytes'
  most: number
  beyond: string
}

const limit = (of: string, unit: WorkLimit['unit'], most: number, beyond: string): WorkLimit => ({
  of,
  unit,
  most,
  beyond,
})

/** All limits of work on untrusted data. Modules that do the work read their limits here. */
export const WORK_LIMITS = {
  memory: limit(
    'the objects of the thread that works on it',
    'megabytes',
    96,
    'the thread is ended, and the next work gets a new one',
  ),
  schema: limit(
    'one schema of a tool, and the arguments that are checked against it',
    'milliseconds',
    2000,
    'not checked, and reported as such',
  ),
  toolSchemas: limit('the schemas of one tool in a readiness check', 'milliseconds', 2000, 'not known to be right'),
  allSchemas: limit('the schemas of all tools in a readiness check', 'milliseconds', 10_000, 'not known to be right'),
  markdownPiece: limit('one piece of a Markdown document', 'milliseconds', 500, 'shown as it is written'),
  markdownDocument: limit('all pieces of a Markdown document', 'milliseconds', 5000, 'shown as it is written'),
  media: limit('one picture, sound or file in a result', 'milliseconds', 4000, 'not drawn, and reported as such'),
  pattern: limit('one pattern of a case on one text', 'milliseconds', 250, 'a failed check with this reason'),
  trialPatterns: limit('all patterns of one trial', 'milliseconds', 1000, 'a failed check with this reason'),
  reportPatterns: limit(
    'all patterns of one report of results',
    'milliseconds',
    10_000,
    'a failed check with this reason',
  ),
}
