import { MAX_ANSWER_LEVELS, MAX_INPUT_LEVELS, MAX_STORED_LEVELS } from './json-depth.ts'

/** The most of something that is kept or taken, and what becomes of more. */
export type Bound = {
  /** What it bounds, as the first column of docs/limits.md names it. */
  of: string
  side: 'program' | 'local workspace'
  unit: 'bytes' | 'characters' | 'levels' | 'entries'
  most: number
  /** `refused` with a sentence, `cut` at the bound, `left out` as a whole, or the oldest entries give way. */
  beyond: 'refused' | 'cut' | 'left out' | 'the oldest go'
}

const KIB = 1024
const MIB = 1024 * KIB

/** Every bound of text that is kept or taken; the modules that keep it read it here. */
export const BOUNDS = {
  notebookIncidents: {
    of: 'incidents of the notebook',
    side: 'program',
    unit: 'entries',
    most: 100,
    beyond: 'the oldest go',
  },
  notebookEntries: {
    of: 'entries of an incident',
    side: 'program',
    unit: 'entries',
    most: 500,
    beyond: 'refused',
  },
  notebookNote: {
    of: 'a note of the notebook',
    side: 'program',
    unit: 'characters',
    most: 20_000,
    beyond: 'refused',
  },
  notebookTitle: {
    of: 'the title of an incident',
    side: 'program',
    unit: 'characters',
    most: 200,
    beyond: 'cut',
  },
  journalInput: {
    of: 'the input of a write in the journal; of a larger one only its target',
    side: 'program',
    unit: 'characters',
    most: MIB,
    beyond: 'left out',
  },
  journalWrites: {
    of: 'settled writes in the journal',
    side: 'program',
    unit: 'entries',
    most: 2_000,
    beyond: 'the oldest go',
  },
  pins: { of: 'runs that are followed', side: 'program', unit: 'entries', most: 12, beyond: 'the oldest go' },
  memberNotes: {
    of: 'noted members of a scenario',
    side: 'program',
    unit: 'entries',
    most: 200,
    beyond: 'the oldest go',
  },
  acknowledged: {
    of: 'lines that were acknowledged on Now',
    side: 'program',
    unit: 'entries',
    most: 1_000,
    beyond: 'the oldest go',
  },
  rerunLinks: {
    of: 'reruns whose first run is remembered',
    side: 'program',
    unit: 'entries',
    most: 500,
    beyond: 'the oldest go',
  },
  cachedAnswer: {
    of: 'one answer in the cache of the last start',
    side: 'program',
    unit: 'characters',
    most: 128 * KIB,
    beyond: 'left out',
  },
  lastScreen: {
    of: 'the screen that is kept for the next start',
    side: 'program',
    unit: 'characters',
    most: MIB,
    beyond: 'left out',
  },
  logLine: {
    of: 'one line of a log file',
    side: 'program',
    unit: 'characters',
    most: 16 * KIB,
    beyond: 'cut',
  },
  logFile: {
    of: 'a log file; the full one before it is kept as `<file>.old`',
    side: 'program',
    unit: 'bytes',
    most: 16 * MIB,
    beyond: 'the oldest go',
  },
  configFile: { of: 'the config file', side: 'program', unit: 'bytes', most: MIB, beyond: 'refused' },
  editedText: {
    of: 'a suite file, or a text in the editor',
    side: 'program',
    unit: 'bytes',
    most: 4 * MIB,
    beyond: 'refused',
  },
  editedLevels: {
    of: 'nesting of a suite file, or of a text in the editor',
    side: 'program',
    unit: 'levels',
    most: 64,
    beyond: 'refused',
  },
  editorFiles: {
    of: 'texts in the editor that were left open',
    side: 'program',
    unit: 'entries',
    most: 100,
    beyond: 'the oldest go',
  },
  answer: {
    of: 'one answer of a service, where its operation needs no more',
    side: 'program',
    unit: 'bytes',
    most: 16 * MIB,
    beyond: 'refused',
  },
  answerLevels: {
    of: 'nesting of an answer',
    side: 'program',
    unit: 'levels',
    most: MAX_ANSWER_LEVELS,
    beyond: 'refused',
  },
  requestBody: {
    of: 'the body of a request',
    side: 'local workspace',
    unit: 'bytes',
    most: 6 * MIB,
    beyond: 'refused',
  },
  requestLevels: {
    of: 'nesting of a request, of what an MCP server answers and of what a model answers',
    side: 'local workspace',
    unit: 'levels',
    most: MAX_INPUT_LEVELS,
    beyond: 'refused',
  },
  storedLevels: {
    of: 'nesting of what was stored, as it is answered',
    side: 'local workspace',
    unit: 'levels',
    most: MAX_STORED_LEVELS,
    beyond: 'cut',
  },
  recordedTool: {
    of: 'one tool in the listing that a run records',
    side: 'local workspace',
    unit: 'characters',
    most: 50_000,
    beyond: 'left out',
  },
  idempotencyKey: {
    of: 'an idempotency key',
    side: 'local workspace',
    unit: 'characters',
    most: 256,
    beyond: 'refused',
  },
} as const satisfies Record<string, Bound>

export type BoundName = keyof typeof BOUNDS
