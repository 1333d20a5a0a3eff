/** The most time or memory that one work on something from outside may take, and what is said past it. */
export type WorkLimit = {
  /** What it limits, as the first column of docs/limits.md names it. */
  of: string
  unit: 'milliseconds' | 'megabytes'
  most: number
  beyond: string
}

/** Every limit of work on what came from outside; the modules that work on it read it here. */
export const WORK_LIMITS = {
  memory: {
    of: 'the objects of the thread that works on it',
    unit: 'megabytes',
    most: 96,
    beyond: 'the thread is ended, and the next work gets a new one',
  },
  schema: {
    of: 'one schema of a tool, and the arguments that are checked against it',
    unit: 'milliseconds',
    most: 2000,
    beyond: 'not checked, and reported as such',
  },
  toolSchemas: {
    of: 'the schemas of one tool in a readiness check',
    unit: 'milliseconds',
    most: 2000,
    beyond: 'not known to be right',
  },
  allSchemas: {
    of: 'the schemas of all tools in a readiness check',
    unit: 'milliseconds',
    most: 10_000,
    beyond: 'not known to be right',
  },
  markdownPiece: {
    of: 'one piece of a Markdown document',
    unit: 'milliseconds',
    most: 500,
    beyond: 'shown as it is written',
  },
  markdownDocument: {
    of: 'all pieces of a Markdown document',
    unit: 'milliseconds',
    most: 5000,
    beyond: 'shown as it is written',
  },
  media: {
    of: 'one picture, sound or file in a result',
    unit: 'milliseconds',
    most: 4000,
    beyond: 'not drawn, and reported as such',
  },
  pattern: {
    of: 'one pattern of a case on one text',
    unit: 'milliseconds',
    most: 250,
    beyond: 'a failed check with this reason',
  },
  trialPatterns: {
    of: 'all patterns of one trial',
    unit: 'milliseconds',
    most: 1000,
    beyond: 'a failed check with this reason',
  },
  reportPatterns: {
    of: 'all patterns of one report of results',
    unit: 'milliseconds',
    most: 10_000,
    beyond: 'a failed check with this reason',
  },
} as const satisfies Record<string, WorkLimit>
