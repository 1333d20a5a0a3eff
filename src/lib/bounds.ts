import { MAX_ANSWER_LEVELS, MAX_INPUT_LEVELS, MAX_STORED_LEVELS } from './json.ts'

/** The most of something that is kept or taken, and what becomes of more. */
export type Bound = {
  /** What it bounds, as the first column of docs/limits.md names it. */
  of: string
  side: 'program' | 'local workspace'
  unit: 'bytes' | 'characters' | 'levels' | 'entries' | 'pixels'
  most: number
  /** `refused` with a sentence, `cut` at the bound, `left out` as a whole, or the oldest entries give way. */
  beyond: 'refused' | 'cut' | 'left out' | 'the oldest go'
}

const KIB = 1024
const MIB = 1024 * KIB

type OfSide = Record<string, Omit<Bound, 'side'>>

/** What the program keeps and reads. */
const PROGRAM = {
  notebookIncidents: { of: 'incidents of the notebook', unit: 'entries', most: 100, beyond: 'the oldest go' },
  notebookEntries: { of: 'entries of an incident', unit: 'entries', most: 500, beyond: 'refused' },
  notebookNote: { of: 'a note of the notebook', unit: 'characters', most: 20_000, beyond: 'refused' },
  notebookTitle: { of: 'the title of an incident', unit: 'characters', most: 200, beyond: 'cut' },
  notebookFacts: { of: 'facts of an entry of the notebook', unit: 'entries', most: 40, beyond: 'cut' },
  notebookFact: { of: 'a fact, a name or an id of the notebook', unit: 'characters', most: 500, beyond: 'cut' },
  noteScenarios: { of: 'scenarios with notes of who was let in', unit: 'entries', most: 200, beyond: 'the oldest go' },
  noteMember: { of: 'the address of a noted member', unit: 'characters', most: 320, beyond: 'left out' },
  nowProjects: { of: 'projects that are chosen for Now', unit: 'entries', most: 500, beyond: 'cut' },
  nowChecks: { of: 'servers whose last check Now remembers', unit: 'entries', most: 500, beyond: 'the oldest go' },
  nowText: { of: 'a text of what Now remembers', unit: 'characters', most: 300, beyond: 'cut' },
  seenRows: { of: 'rows of one list that count as seen', unit: 'entries', most: 2_000, beyond: 'the oldest go' },
  seenAllRows: {
    of: 'rows that count as seen, all lists together',
    unit: 'entries',
    most: 20_000,
    beyond: 'the oldest go',
  },
  seenLists: { of: 'lists whose seen entries are stored', unit: 'entries', most: 300, beyond: 'the oldest go' },
  seenName: { of: 'the id of a row that counts as seen', unit: 'characters', most: 200, beyond: 'left out' },
  doctorReports: { of: 'reports of the doctor', unit: 'entries', most: 200, beyond: 'the oldest go' },
  doctorEntries: {
    of: 'checks, capabilities or findings of a stored doctor report',
    unit: 'entries',
    most: 250,
    beyond: 'cut',
  },
  doctorText: { of: 'a text of a stored doctor report', unit: 'characters', most: 2_000, beyond: 'cut' },
  cachedAnswers: {
    of: 'all answers in the cache of the last start',
    unit: 'characters',
    most: MIB,
    beyond: 'left out',
  },
  toolSchema: {
    of: 'the schema of a tool that arguments are checked against',
    unit: 'characters',
    most: 300_000,
    beyond: 'refused',
  },
  untrustedWork: {
    of: 'what is given to one work on something from outside',
    unit: 'characters',
    most: 5_000_000,
    beyond: 'refused',
  },
  untrustedAnswer: {
    of: 'what comes of one work on something from outside',
    unit: 'characters',
    most: 1_800_000,
    beyond: 'refused',
  },
  picturePixels: { of: 'the pixels of a picture in a result', unit: 'pixels', most: 8_388_608, beyond: 'left out' },
  argumentFaults: { of: 'faults reported of the arguments of one call', unit: 'entries', most: 100, beyond: 'cut' },
  drawnText: { of: 'a text that is drawn on one line', unit: 'characters', most: 12_000, beyond: 'cut' },
  journalInput: {
    of: 'the input of a write in the journal; of a larger one only its target',
    unit: 'characters',
    most: MIB,
    beyond: 'left out',
  },
  journalWrites: { of: 'settled writes in the journal', unit: 'entries', most: 2_000, beyond: 'the oldest go' },
  pins: { of: 'runs that are followed', unit: 'entries', most: 12, beyond: 'the oldest go' },
  rung: { of: 'runs whose end was announced', unit: 'entries', most: 200, beyond: 'the oldest go' },
  waveRuns: {
    of: 'journey runs that were launched or seen in flight',
    unit: 'entries',
    most: 200,
    beyond: 'the oldest go',
  },
  connections: { of: 'connection requests that were begun here', unit: 'entries', most: 20, beyond: 'the oldest go' },
  memberNotes: { of: 'noted members of a scenario', unit: 'entries', most: 200, beyond: 'the oldest go' },
  acknowledged: { of: 'lines that were acknowledged on Now', unit: 'entries', most: 1_000, beyond: 'the oldest go' },
  rerunLinks: { of: 'reruns whose first run is remembered', unit: 'entries', most: 500, beyond: 'the oldest go' },
  cachedAnswer: {
    of: 'one answer in the cache of the last start',
    unit: 'characters',
    most: 128 * KIB,
    beyond: 'left out',
  },
  lastScreen: { of: 'the screen stored for the next start', unit: 'bytes', most: 4 * MIB, beyond: 'left out' },
  logLine: { of: 'one line of a log file', unit: 'characters', most: 16 * KIB, beyond: 'cut' },
  logFile: {
    of: 'a log file; the full one before it is renamed to `<file>.old`',
    unit: 'bytes',
    most: 16 * MIB,
    beyond: 'the oldest go',
  },
  configFile: { of: 'the config file', unit: 'bytes', most: MIB, beyond: 'refused' },
  editedText: {
    of: 'a suite file, a file with MCP servers, or a text in the editor',
    unit: 'bytes',
    most: 4 * MIB,
    beyond: 'refused',
  },
  editedLevels: {
    of: 'nesting of a suite file, or of a text in the editor',
    unit: 'levels',
    most: 64,
    beyond: 'refused',
  },
  editorFiles: { of: 'texts in the editor that were left open', unit: 'entries', most: 100, beyond: 'the oldest go' },
  answer: {
    of: 'one answer of a service, where its operation needs no more, or a JSON file',
    unit: 'bytes',
    most: 16 * MIB,
    beyond: 'refused',
  },
  answerLevels: { of: 'nesting of an answer', unit: 'levels', most: MAX_ANSWER_LEVELS, beyond: 'refused' },
} as const satisfies OfSide

/** What the local workspace takes and keeps. */
const WORKSPACE = {
  upgradeCopies: {
    of: 'copies of the workspace from before an upgrade, one a schema',
    unit: 'entries',
    most: 3,
    beyond: 'the oldest go',
  },
  waitingRequests: { of: 'requests of a server that wait for a person', unit: 'entries', most: 32, beyond: 'refused' },
  elicitation: { of: 'a form that a server asks for', unit: 'characters', most: 64 * KIB, beyond: 'refused' },
  samplingRequest: { of: 'what a server asks of a model', unit: 'characters', most: 512 * KIB, beyond: 'refused' },
  trafficMessages: { of: 'messages of a server under Traffic', unit: 'entries', most: 1000, beyond: 'the oldest go' },
  trafficMessage: {
    of: 'a message under Traffic, its end with it',
    unit: 'characters',
    most: 256 * KIB,
    beyond: 'cut',
  },
  consoleLines: { of: 'lines of a server under Console', unit: 'entries', most: 2000, beyond: 'the oldest go' },
  consoleLine: { of: 'a line under Console', unit: 'characters', most: 4 * KIB, beyond: 'cut' },
  requestBody: { of: 'the body of a request', unit: 'bytes', most: 6 * MIB, beyond: 'refused' },
  requestLevels: {
    of: 'nesting of a request, of what an MCP server answers and of what a model answers',
    unit: 'levels',
    most: MAX_INPUT_LEVELS,
    beyond: 'refused',
  },
  storedLevels: {
    of: 'nesting of what was stored, as it is answered',
    unit: 'levels',
    most: MAX_STORED_LEVELS,
    beyond: 'cut',
  },
  recordedTool: {
    of: 'one tool in the listing that a run records',
    unit: 'characters',
    most: 50_000,
    beyond: 'left out',
  },
  ingestDocument: { of: 'a document that reports a run', unit: 'bytes', most: 5 * MIB, beyond: 'refused' },
  ingestResults: { of: 'results in one report of a run', unit: 'entries', most: 1_000, beyond: 'refused' },
  ingestLabel: { of: 'a name in a report of a run', unit: 'characters', most: 1_000, beyond: 'refused' },
  ingestLevels: { of: 'nesting of a report of a run', unit: 'levels', most: 64, beyond: 'refused' },
  batchCase: { of: 'one case of a batch', unit: 'characters', most: 256 * KIB, beyond: 'refused' },
  visitBody: { of: 'the body of a visitor’s request', unit: 'bytes', most: 64 * KIB, beyond: 'refused' },
  pattern: { of: 'a pattern of a case', unit: 'characters', most: 10_000, beyond: 'refused' },
  patternText: { of: 'a text that a pattern is tested on', unit: 'characters', most: 100_000, beyond: 'refused' },
  idempotencyKey: { of: 'an idempotency key', unit: 'characters', most: 256, beyond: 'refused' },
  serverCalls: { of: 'calls by hand that are stored of a server', unit: 'entries', most: 200, beyond: 'the oldest go' },
  serverCallBytes: { of: 'their results together', unit: 'bytes', most: 16 * MIB, beyond: 'the oldest go' },
  callResult: { of: 'the stored result of a call by hand', unit: 'bytes', most: MIB, beyond: 'left out' },
  agentTurns: {
    of: 'turns of the agent that are stored of a project',
    unit: 'entries',
    most: 200,
    beyond: 'the oldest go',
  },
  agentResult: { of: 'what the agent’s model reads of one answer', unit: 'characters', most: 16_000, beyond: 'cut' },
  callInput: { of: 'the stored arguments of a call by hand', unit: 'bytes', most: 64 * KIB, beyond: 'left out' },
} as const satisfies OfSide

/** Every bound of text that is kept or taken; the modules that keep it read it here. */
export const BOUNDS: Readonly<Record<keyof typeof PROGRAM | keyof typeof WORKSPACE, Bound>> = {
  ...onSide('program', PROGRAM),
  ...onSide('local workspace', WORKSPACE),
}

function onSide<Name extends string>(
  side: Bound['side'],
  bounds: Readonly<Record<Name, Omit<Bound, 'side'>>>,
): Record<Name, Bound> {
  const entries = Object.entries<Omit<Bound, 'side'>>(bounds).map(([name, bound]) => [name, { ...bound, side }])
  return Object.fromEntries(entries) as Record<Name, Bound>
}

export type BoundName = keyof typeof BOUNDS
