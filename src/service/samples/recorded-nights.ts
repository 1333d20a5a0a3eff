import { utcDay } from '../../lib/times.ts'
import type { ReportedResult, RunOpening } from '../eval-ingest/document.ts'
import { CHICAGO, echoOf, exportOf, LOS_ANGELES, REFUSED_CITY, sumOf, weatherIn } from './recorded-sessions.ts'
import type { RecordedCall } from './recorded.ts'

export const NIGHTLY = {
  suiteName: 'Sample: nightly on the reference server',
  suiteDescription:
    'What a program reported night after night. A sample; `mcpdeck serve sample remove` removes all samples.',
  framework: 'nightly',
  passCriteria: { minimumPassRate: 0.9 },
}

/** Days before which a night is recorded, oldest first. */
export const NIGHTS: readonly number[] = [21, 19, 17, 16, 15, 13, 12, 11, 10, 9, 7, 6, 5, 4, 3, 2, 1]

const MODEL = { model: 'anthropic/claude-sonnet-4.5', provider: 'anthropic' }

/** Nights in which the model wrote a figure as a text, which the server refuses. */
const FLAKY: readonly number[] = [19, 16, 12, 9, 5, 3]
const TIMED_OUT: readonly number[] = [13]
/** The model's endpoint was not reached at all. */
const NO_MODEL: readonly number[] = [17]
/** Since this night the schema of the weather tool names its cities. */
const SCHEMA_CHANGED = 6
/** Since this night every answer takes longer than in the night before. */
const SLOWER = 7

/** One trial; without a verdict it is judged here, by the calls that it expects. */
type RecordedTrial = {
  caseKey: string
  title: string
  prompt: string
  calls: readonly RecordedCall[]
  expectedCalls?: readonly RecordedCall[]
  answer: string
  /** Tokens. */
  total: number
  durationMs: number
  isNegative?: boolean
} & Partial<Pick<ReportedResult, 'verdict' | 'error' | 'errorDetails'>>

/** What the program never says. */
const UNSAID = { externalId: undefined, expectedOutput: undefined, error: undefined, errorDetails: undefined }

const EXACT_CITY = weatherIn('Chicago, IL', CHICAGO.resultText)
const BY_CITY: RecordedTrial = {
  caseKey: 'weather-by-city',
  title: 'Weather of a city with its state',
  prompt: 'What is the weather in Chicago, IL?',
  calls: [EXACT_CITY],
  answer: 'Light rain at 36 degrees.',
  total: 910,
  durationMs: 2300,
}
const TOTAL: RecordedTrial = {
  caseKey: 'order-total',
  title: 'Total of an order',
  prompt: 'Add 129.90 and 45.50.',
  calls: [sumOf(129.9, 45.5)],
  expectedCalls: [sumOf(129.9, 45.5)],
  answer: 'The total is 175.40.',
  total: 830,
  durationMs: 1900,
}
const TEXT_SUM: RecordedCall = {
  toolName: 'get-sum',
  arguments: { a: '129.90', b: '45.50' },
  resultText: 'MCP error -32602: Input validation error: expected number, received string',
  isError: true,
  durationMs: 35,
}
const EXPORT: RecordedTrial = {
  caseKey: 'export-ends',
  title: 'Export runs to its end',
  prompt: 'Run the export.',
  calls: [exportOf(4, 4)],
  expectedCalls: [exportOf(4, 4)],
  answer: 'The export is done.',
  total: 760,
  durationMs: 5600,
}
const STEADY: readonly RecordedTrial[] = [
  {
    caseKey: 'weather-known',
    title: 'Weather of a known city',
    prompt: 'How warm is Los Angeles?',
    calls: [LOS_ANGELES],
    expectedCalls: [LOS_ANGELES],
    answer: '73 degrees, sunny and clear.',
    total: 880,
    durationMs: 2100,
  },
  {
    caseKey: 'say-it-back',
    title: 'A message is said back',
    prompt: 'Send "ready" through the echo tool.',
    calls: [echoOf('ready')],
    expectedCalls: [echoOf('ready')],
    answer: 'It came back as "ready".',
    total: 640,
    durationMs: 1500,
  },
  {
    caseKey: 'small-talk',
    title: 'Small talk calls nothing',
    prompt: 'Good morning!',
    calls: [],
    answer: 'Good morning. What can I do for you?',
    total: 410,
    durationMs: 900,
    isNegative: true,
  },
]

/** The same question with the schema that came later. */
const REFUSED: RecordedTrial = {
  ...BY_CITY,
  calls: [{ ...EXACT_CITY, resultText: REFUSED_CITY, isError: true, durationMs: 95 }],
  answer: 'The tool does not know Chicago, IL.',
  verdict: 'failed',
  error: 'The answer names no weather: get-structured-content refused "Chicago, IL".',
  errorDetails: REFUSED_CITY,
}
const TIMEOUT: RecordedTrial = {
  ...EXPORT,
  calls: [],
  answer: '',
  durationMs: 60_000,
  verdict: 'timed_out',
  error: 'The tool did not answer within 60 s.',
}
const UNREACHED: Partial<RecordedTrial> = {
  calls: [],
  answer: '',
  total: 60,
  durationMs: 30,
  verdict: 'setup_failed',
  error: 'The model’s endpoint could not be reached (ECONNREFUSED).',
}

/**
 * What the program reported in one night.
 * @param daysAgo one of {@link NIGHTS}
 * @param startedAt epoch milliseconds
 */
export function reportOf(
  daysAgo: number,
  startedAt: number,
  serverName: string,
): { opening: RunOpening; results: ReportedResult[] } {
  const pace = daysAgo > SLOWER ? 1 + (daysAgo % 3) * 0.04 : 1 + (SLOWER + 1 - daysAgo) * 0.18
  let clock = startedAt
  const results = trialsOf(daysAgo).map((trial): ReportedResult => {
    const { calls, expectedCalls = [], answer, total, isNegative = false, ...rest } = trial
    const durationMs = Math.round(trial.durationMs * pace)
    const result: ReportedResult = {
      ...UNSAID,
      // Where nothing is expected, only the program can tell.
      verdict: expectedCalls.length > 0 || isNegative ? undefined : 'passed',
      ...rest,
      ...MODEL,
      startedAt: clock,
      durationMs,
      tokens: { input: total - 60, output: 60, total },
      expectedCalls: expectedCalls.map(({ toolName, arguments: args }) => ({ toolName, arguments: args })),
      isNegative,
      calls: calls.map(call => toReported(call, serverName, clock + 400)),
      messages: [
        { role: 'user', content: trial.prompt },
        { role: 'assistant', content: answer },
      ],
    }
    clock += durationMs + 150
    return result
  })
  const externalRunId = `sample-nightly-${utcDay(startedAt)}`
  return { opening: { ...NIGHTLY, externalRunId, serverNames: [serverName], notes: 'Nightly, main branch' }, results }
}

/** The night's trials, some of which went another way. */
function trialsOf(daysAgo: number): RecordedTrial[] {
  const all: RecordedTrial[] = [
    FLAKY.includes(daysAgo) ? { ...TOTAL, calls: [TEXT_SUM], answer: 'I could not add the two figures.' } : TOTAL,
    TOTAL,
    daysAgo <= SCHEMA_CHANGED ? REFUSED : BY_CITY,
    TIMED_OUT.includes(daysAgo) ? TIMEOUT : EXPORT,
    ...STEADY,
  ]
  return NO_MODEL.includes(daysAgo) ? all.map(trial => ({ ...trial, ...UNREACHED })) : all
}

function toReported(
  { toolName, arguments: args, resultText, isError, durationMs }: RecordedCall,
  serverName: string,
  startedAt: number,
) {
  const result = { content: [{ type: 'text', text: resultText }], ...(isError && { isError }) }
  return { serverName, toolName, arguments: args, startedAt, durationMs, result }
}
