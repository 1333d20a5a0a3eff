import { MAX_ANSWER_LEVELS, MAX_INPUT_LEVELS, MAX_STORED_LEVELS } from './json.ts'

/** A limit on something that is stored or accepted, and what happens beyond it. */
export type Bound = {
  /** The limited thing, as named in the first column of docs/limits.md. */
  of: string
  side: 'program' | 'local workspace'
  unit: 'bytes' | 'characters' | 'levels' | 'entries' | 'values' | 'pixels'
  most: number
  /**
   * The effect of exceeding the limit: `refused` with an error, `cut` at the limit, `left out` as a whole, or the
   * oldest entries are removed.
   */
  beyond: 'refused' | 'cut' | 'left out' | 'the oldest go'
}

const KIB = 1024
const MIB = 1024 * KIB

type OfSide = Omit<Bound, 'side'>

/** Declares a limit of `most` units of something, and what happens to the rest. */
const bound = (of: string, unit: Bound['unit'], most: number, beyond: Bound['beyond']): OfSide => ({
  of,
  unit,
  most,
  beyond,
})

/** Limits of what the program stores and reads. */
const PROGRAM = {
  notebookIncidents: bound('incidents of the notebook', 'entries', 100, 'the oldest go'),
  notebookEntries: bound('entries of an incident', 'entries', 500, 'refused'),
  notebookNote: bound('a note of the notebook', 'characters', 20_000, 'refused'),
  notebookTitle: bound('the title of an incident', 'characters', 200, 'cut'),
  notebookFacts: bound('facts of an entry of the notebook', 'entries', 40, 'cut'),
  notebookFact: bound('a fact, a name or an id of the notebook', 'characters', 500, 'cut'),
  noteScenarios: bound('scenarios with notes of who was let in', 'entries', 200, 'the oldest go'),
  noteMember: bound('the address of a noted member', 'characters', 320, 'left out'),
  nowProjects: bound('projects that Now looks at', 'entries', 500, 'cut'),
  nowChecks: bound('servers whose last check Now remembers', 'entries', 500, 'the oldest go'),
  nowText: bound('a text of what Now remembers', 'characters', 300, 'cut'),
  dismissedSteps: bound('projects whose next steps were dismissed', 'entries', 500, 'the oldest go'),
  seenRows: bound('rows of one list that count as seen', 'entries', 2_000, 'the oldest go'),
  seenAllRows: bound('rows that count as seen, all lists together', 'entries', 20_000, 'the oldest go'),
  seenLists: bound('lists whose seen entries are stored', 'entries', 300, 'the oldest go'),
  seenName: bound('the id of a row that counts as seen', 'characters', 200, 'left out'),
  doctorReports: bound('reports of the doctor', 'entries', 200, 'the oldest go'),
  doctorEntries: bound('checks, capabilities or findings of a stored doctor report', 'entries', 250, 'cut'),
  doctorText: bound('a text of a stored doctor report', 'characters', 2_000, 'cut'),
  conformanceReports: bound('servers whose last conformance run is stored', 'entries', 100, 'the oldest go'),
  conformanceScenarios: bound('scenarios of a stored conformance run', 'entries', 300, 'cut'),
  conformanceFailed: bound('failed checks of a scenario in a stored conformance run', 'entries', 50, 'cut'),
  conformanceChecks: bound('checks of one scenario of the conformance suite', 'entries', 2_000, 'refused'),
  conformanceText: bound('a text of the conformance suite', 'characters', 2_000, 'cut'),
  pageTrials: bound('trials on a page of `--html`', 'entries', 10_000, 'cut'),
  pageDetails: bound('trials with their calls on a page of `--html`', 'entries', 300, 'cut'),
  pageParts: bound('calls, scores, steps or bars of a trial on a page of `--html`', 'entries', 20, 'cut'),
  pageText: bound('a text on a page of `--html`', 'characters', 2_000, 'cut'),
  traceLevels: bound('nesting of spans in a trace, deeper ones being drawn after it', 'levels', 100, 'cut'),
  mcpAnswer: bound('what one answer of `mcpdeck mcp` quotes, as JSON', 'bytes', 28_000, 'cut'),
  comment: bound('the Markdown of `--comment`', 'characters', 60_000, 'cut'),
  cachedAnswers: bound('all answers in the cache of the last start', 'characters', MIB, 'left out'),
  toolSchema: bound('the schema of a tool that arguments are checked against', 'characters', 300_000, 'refused'),
  untrustedWork: bound('what is given to one work on something from outside', 'characters', 5_000_000, 'refused'),
  untrustedAnswer: bound('what comes of one work on something from outside', 'characters', 1_800_000, 'refused'),
  picturePixels: bound('the pixels of a picture in a result', 'pixels', 8_388_608, 'left out'),
  argumentFaults: bound('faults reported of the arguments of one call', 'entries', 100, 'cut'),
  drawnText: bound('a text that is drawn on one line', 'characters', 12_000, 'cut'),
  journalInput: bound(
    'the input of a write in the journal; of a larger one only its target',
    'characters',
    MIB,
    'left out',
  ),
  journalWrites: bound('settled writes in the journal', 'entries', 2_000, 'the oldest go'),
  pins: bound('runs that are followed', 'entries', 12, 'the oldest go'),
  rung: bound('runs whose end was announced', 'entries', 200, 'the oldest go'),
  waveRuns: bound('journey runs that were launched or seen in flight', 'entries', 200, 'the oldest go'),
  connections: bound('connection requests that were begun here', 'entries', 20, 'the oldest go'),
  memberNotes: bound('noted members of a scenario', 'entries', 200, 'the oldest go'),
  acknowledged: bound('lines that were acknowledged on Now', 'entries', 1_000, 'the oldest go'),
  rerunLinks: bound('reruns whose first run is remembered', 'entries', 500, 'the oldest go'),
  cachedAnswer: bound('one answer in the cache of the last start', 'characters', 128 * KIB, 'left out'),
  lastScreen: bound('the screen stored for the next start', 'bytes', 4 * MIB, 'left out'),
  logLine: bound('one line of a log file', 'characters', 16 * KIB, 'cut'),
  logFile: bound('a log file; the full one before it is renamed to `<file>.old`', 'bytes', 16 * MIB, 'the oldest go'),
  configFile: bound('the config file', 'bytes', MIB, 'refused'),
  editedText: bound(
    'a suite file, a file with its rows, a file with MCP servers, or a text in the editor',
    'bytes',
    4 * MIB,
    'refused',
  ),
  tableRows: bound('rows of the table behind `each:`', 'entries', 1_000, 'refused'),
  tableFiles: bound('the files with rows that one suite names', 'characters', 16 * MIB, 'refused'),
  filledCases: bound('the cases of a suite file that have rows filled in', 'characters', 8 * MIB, 'refused'),
  editedLevels: bound('nesting of a suite file, or of a text in the editor', 'levels', 64, 'refused'),
  editorFiles: bound('texts in the editor that were left open', 'entries', 100, 'the oldest go'),
  answer: bound(
    'one answer of a service, where its operation needs no more, or a JSON file',
    'bytes',
    16 * MIB,
    'refused',
  ),
  answerValues: bound('one answer of a service', 'values', 500_000, 'refused'),
  recordedValues: bound(
    'one answer of a service with what servers returned in a trial',
    'values',
    2_000_000,
    'refused',
  ),
  answerLevels: bound('nesting of an answer', 'levels', MAX_ANSWER_LEVELS, 'refused'),
}

/** Limits of what the local workspace accepts and stores. */
const WORKSPACE = {
  upgradeCopies: bound('copies of the workspace from before an upgrade, one a schema', 'entries', 3, 'the oldest go'),
  waitingRequests: bound('requests of a server that wait for a person', 'entries', 32, 'refused'),
  elicitation: bound('a form that a server asks for', 'characters', 64 * KIB, 'refused'),
  samplingRequest: bound('what a server asks of a model', 'characters', 512 * KIB, 'refused'),
  trafficMessages: bound('messages of a server under Traffic', 'entries', 1000, 'the oldest go'),
  trafficMessage: bound('a message under Traffic, its end with it', 'characters', 256 * KIB, 'cut'),
  consoleLines: bound('lines of a server under Console', 'entries', 2000, 'the oldest go'),
  consoleLine: bound('a line under Console', 'characters', 4 * KIB, 'cut'),
  requestBody: bound('the body of a request', 'bytes', 6 * MIB, 'refused'),
  requestLevels: bound(
    'nesting of a request, of what an MCP server answers and of what a model answers',
    'levels',
    MAX_INPUT_LEVELS,
    'refused',
  ),
  modelAnswer: bound('one answer of a model', 'bytes', 4 * MIB, 'refused'),
  storedLevels: bound('nesting of what was stored, as it is answered', 'levels', MAX_STORED_LEVELS, 'cut'),
  recordedTool: bound('one tool in the listing that a run records', 'characters', 50_000, 'left out'),
  ingestDocument: bound('a document that reports a run', 'bytes', 5 * MIB, 'refused'),
  ingestResults: bound('results in one report of a run', 'entries', 1_000, 'refused'),
  ingestLabel: bound('a name in a report of a run', 'characters', 1_000, 'refused'),
  ingestLevels: bound('nesting of a report of a run', 'levels', 64, 'refused'),
  batchCase: bound('one case of a batch', 'characters', 256 * KIB, 'refused'),
  visitBody: bound('the body of a visitor’s request', 'bytes', 64 * KIB, 'refused'),
  pattern: bound('a pattern of a case', 'characters', 10_000, 'refused'),
  patternText: bound('a text that a pattern is tested on', 'characters', 100_000, 'refused'),
  idempotencyKey: bound('an idempotency key', 'characters', 256, 'refused'),
  serverCalls: bound('calls by hand that are stored of a server', 'entries', 200, 'the oldest go'),
  serverCallBytes: bound('their results together', 'bytes', 16 * MIB, 'the oldest go'),
  callResult: bound('the stored result of a call by hand', 'bytes', MIB, 'left out'),
  agentTurns: bound('turns of the agent that are stored of a project', 'entries', 200, 'the oldest go'),
  agentResult: bound('what the agent’s model reads of one answer', 'characters', 16_000, 'cut'),
  skillFiles: bound('files of a skill that a server offers', 'entries', 512, 'refused'),
  skillBytes: bound('the files of such a skill together, by its entry', 'bytes', 16 * MIB, 'refused'),
  skillFrontMatter: bound('the front matter of such a skill', 'characters', 64 * KIB, 'refused'),
  callInput: bound('the stored arguments of a call by hand', 'bytes', 64 * KIB, 'left out'),
}

/** Every size limit on text that is stored or accepted. Modules that enforce one read it here. */
export const BOUNDS: Readonly<Record<keyof typeof PROGRAM | keyof typeof WORKSPACE, Bound>> = {
  ...onSide('program', PROGRAM),
  ...onSide('local workspace', WORKSPACE),
}

function onSide<Name extends string>(side: Bound['side'], bounds: Readonly<Record<Name, OfSide>>): Record<Name, Bound> {
  const entries = Object.entries<OfSide>(bounds).map(([name, each]) => [name, { ...each, side }])
  return Object.fromEntries(entries) as Record<Name, Bound>
}

export type BoundName = keyof typeof BOUNDS
