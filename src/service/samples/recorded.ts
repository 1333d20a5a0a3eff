import type { AttemptEnd } from '../journey-runs/rows.ts'
import type { JudgeAnswer } from '../journey-runs/grading.ts'
import { utcDay } from '../../lib/times.ts'
import type { ReportedResult, RunOpening } from '../eval-ingest/document.ts'

/** A call of a tool of the reference server, as an assistant received it. */
export type RecordedCall = {
  toolName: string
  arguments: Record<string, unknown>
  resultText: string
  isError?: boolean
  durationMs: number
}

export type RecordedTurn = {
  said: string
  calls: RecordedCall[]
  answer: string
  tokens: { inputTokens: number; outputTokens: number }
  durationMs: number
}

/** One session of a journey with the judge's answer; an interrupted session was not judged. */
export type RecordedSession = { turns: RecordedTurn[] } & (
  | { judged: JudgeAnswer }
  | { failure: AttemptEnd & { status: 'failed' | 'rate_limited' } }
)

/** Prefix of the name of every sample. */
const MARK = 'Sample: '

const REMOVABLE = 'A sample; `mcpdeck serve sample remove` removes all samples.'

export const CLIENT = {
  name: `${MARK}assistant`,
  config: {
    modelId: 'anthropic/claude-sonnet-4.5',
    systemPrompt: 'You help people with the tools that you have. Say so when a tool cannot do what they want.',
    temperature: 0,
  },
}

export const ENVIRONMENT = { name: `${MARK}assistant on the reference server`, description: REMOVABLE }

export const SWARM = {
  name: `${MARK}weekly look`,
  description: `Two people with three errands. ${REMOVABLE}`,
  sessionsPerTarget: 2,
  maxTurns: 4,
}

export const PERSONAS = {
  planner: {
    name: `${MARK}Priya`,
    role: 'Plans the trips of field technicians',
    notes: `Writes short messages from a phone and knows no technical words. ${REMOVABLE}`,
  },
  bookkeeper: {
    name: `${MARK}Tom`,
    role: 'Keeps the books of a small shop',
    notes: `Checks every figure and asks where it comes from. ${REMOVABLE}`,
  },
} as const

export type JourneyName = 'weather' | 'order' | 'export'

export const JOURNEYS: Record<JourneyName, { persona: keyof typeof PERSONAS; name: string; goal: string }> = {
  weather: {
    persona: 'planner',
    name: `${MARK}weather for a trip`,
    goal: 'Find out the weather in the city of tomorrow’s trip, and whether to take rain clothes.',
  },
  order: {
    persona: 'bookkeeper',
    name: `${MARK}total of an order`,
    goal: 'Get the total of two items of an order, calculated and not estimated.',
  },
  export: {
    persona: 'bookkeeper',
    name: `${MARK}export with files`,
    goal: 'Start the export, learn when it is done, and get links to two files of it.',
  },
}

/** A dismissed finding: the assistant reads a figure twice before adding it, which does no harm. */
export const DISMISSED = { dimension: 'rubric', journey: 'order', criterion: 'fitting-tools', daysAgo: 9 } as const

/** The reference server's answer for a city that its schema does not name. */
const REFUSED_CITY =
  'MCP error -32602: Input validation error: Invalid arguments for tool get-structured-content: [ { "code": ' +
  '"invalid_value", "values": [ "New York", "Chicago", "Los Angeles" ], "path": [ "location" ], "message": ' +
  '"Invalid option: expected one of \\"New York\\"|\\"Chicago\\"|\\"Los Angeles\\"" } ]'

function weatherIn(location: string, resultText: string): RecordedCall {
  return { toolName: 'get-structured-content', arguments: { location }, resultText, durationMs: 210 }
}

export const CHICAGO = weatherIn('Chicago', '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}')
export const LOS_ANGELES = weatherIn('Los Angeles', '{"temperature":73,"conditions":"Sunny / Clear","humidity":48}')
export const BOSTON: RecordedCall = { ...weatherIn('Boston', REFUSED_CITY), isError: true, durationMs: 95 }

function sumOf(a: number, b: number): RecordedCall {
  const resultText = `The sum of ${a} and ${b} is ${a + b}.`
  return { toolName: 'get-sum', arguments: { a, b }, resultText, durationMs: 60 }
}

function echoOf(message: string): RecordedCall {
  return { toolName: 'echo', arguments: { message }, resultText: `Echo: ${message}`, durationMs: 45 }
}

function exportOf(duration: number, steps: number): RecordedCall {
  return {
    toolName: 'trigger-long-running-operation',
    arguments: { duration, steps },
    resultText: `Long running operation completed. Duration: ${duration} seconds, Steps: ${steps}.`,
    durationMs: duration * 1000 + 40,
  }
}

const LINKS: RecordedCall = {
  toolName: 'get-resource-links',
  arguments: { count: 2 },
  resultText:
    'Here are 2 resource links to resources available in this server: ' +
    'demo://resource/dynamic/blob/1 demo://resource/dynamic/text/2',
  durationMs: 80,
}

const passed = (reason: string) => ({ passed: true, reason })
const failed = (reason: string) => ({ passed: false, reason })

const GROUNDED = passed('Every figure comes from a tool result.')
const FITTING = passed('One call for each thing that was asked.')
const CLEAR = passed('Short sentences without technical words.')

/** Returns a judge's answer in which every criterion is met, except those that `others` names. */
function judged(score: number, reason: string, others: JudgeAnswer['criteria'] = {}): JudgeAnswer {
  const criteria = { grounded: GROUNDED, 'fitting-tools': FITTING, understandable: CLEAR, ...others }
  return { goal: { score, reason }, criteria }
}

function turn(said: string, calls: RecordedCall[], answer: string, durationMs: number): RecordedTurn {
  const outputTokens = 40 + 30 * calls.length + Math.round(answer.length / 4)
  return { said, calls, answer, tokens: { inputTokens: 620 + 140 * calls.length, outputTokens }, durationMs }
}

export const SESSIONS = {
  weather: {
    rain: {
      turns: [
        turn(
          'hi, i send a technician to Chicago tomorrow. rain clothes yes or no?',
          [CHICAGO],
          'Yes. In Chicago it is 36 degrees with light rain.',
          2900,
        ),
      ],
      judged: judged(1, 'Weather and rain clothes were both answered.'),
    },
    sun: {
      turns: [
        turn('weather in Los Angeles tomorrow?', [LOS_ANGELES], 'Sunny and clear, 73 degrees.', 2600),
        turn('so no rain jacket?', [], 'No, you will not need one.', 1100),
      ],
      judged: judged(0.95, 'The weather was named, and the jacket on request.'),
    },
    refused: {
      turns: [
        turn(
          'we go to Boston tomorrow. what is the weather there?',
          [BOSTON],
          'I could not look up Boston. Try another city.',
          3100,
        ),
        turn(
          'but i need Boston. does it rain?',
          [{ ...BOSTON, durationMs: 90 }],
          'I am sorry, the tool refuses Boston again.',
          2800,
        ),
      ],
      judged: judged(0.1, 'The city of the trip was refused twice, and no weather was given.', {
        grounded: passed('Nothing was claimed that the tool did not say.'),
        'fitting-tools': failed('The same refused call was made twice instead of naming the three known cities.'),
      }),
    },
    brokenOff: {
      turns: [turn('weather in Chicago please', [CHICAGO], 'Light rain, 36 degrees.', 4100)],
      failure: { status: 'failed', errorCode: 'TIMEOUT', errorMessage: 'The model did not finish within 300 s.' },
    },
  },
  order: {
    summed: {
      turns: [
        turn(
          'Two items: 129.90 and 45.50. What is the total, and how did you get it?',
          [sumOf(129.9, 45.5)],
          'The total is 175.40; the calculator of the server added both items.',
          2300,
        ),
      ],
      judged: judged(1, 'The total is right and was calculated.'),
    },
    guessed: {
      turns: [
        turn('Total of 1,249.00 and 389.90?', [], 'That is about 1,630 in total.', 1400),
        turn('I asked for the exact figure.', [], 'It should be 1,628.90.', 1300),
      ],
      judged: judged(0.2, 'The figure was estimated, and it is wrong: 1,638.90 is right.', {
        grounded: failed('Both totals were stated without any tool result.'),
        'fitting-tools': failed('get-sum was there and was not used.'),
      }),
    },
    echoed: {
      turns: [
        turn(
          'Please add 74.20 and 19.95, and tell me where the figure comes from.',
          [echoOf('74.20 + 19.95'), sumOf(74.2, 19.95)],
          'The sum is 94.15, calculated by the server.',
          3000,
        ),
      ],
      judged: judged(0.9, 'The total is right and its source was named.', {
        'fitting-tools': failed('echo was called with the question, which served nothing.'),
      }),
    },
  },
  export: {
    linked: {
      turns: [
        turn(
          'Start the export and tell me when it is done.',
          [exportOf(6, 3)],
          'The export is done; it took 6 s.',
          7900,
        ),
        turn('And the links to two files?', [LINKS], 'Here they are: blob/1 and text/2.', 2100),
      ],
      judged: judged(1, 'The export ended, and two links were given.'),
    },
    unlinked: {
      turns: [
        turn(
          'Run the export and give me links to two files of it.',
          [exportOf(8, 4)],
          'The export has been completed. You will find the files in the usual place.',
          9800,
        ),
      ],
      judged: judged(0.4, 'The export ended, but no link was given.', {
        grounded: failed('No tool result speaks of a usual place.'),
        'fitting-tools': failed('get-resource-links was needed for the links and was not called.'),
      }),
    },
    jargon: {
      turns: [
        turn(
          'Export, please, with two files.',
          [exportOf(6, 3), LINKS],
          'Operation completed (steps: 3). Resources: demo://resource/dynamic/blob/1, ' +
            'demo://resource/dynamic/text/2; ' +
            'resolve the URIs through resources/read.',
          9200,
        ),
      ],
      judged: judged(0.8, 'Done and linked, though the person cannot open the links.', {
        understandable: failed('A bookkeeper does not know what resources/read is.'),
      }),
    },
  },
} as const satisfies Record<JourneyName, Record<string, RecordedSession>>

/** One wave: the sessions of each journey, in order. A journey that is missing was not run. */
type RecordedWave = { daysAgo: number; runs: { [J in JourneyName]?: readonly (keyof (typeof SESSIONS)[J])[] } }

/** Waves, oldest first. Since the fourth wave a few cities are refused, because the server's schema changed. */
export const WAVES: readonly RecordedWave[] = [
  { daysAgo: 20, runs: { weather: ['rain', 'sun'], order: ['guessed', 'summed'], export: ['unlinked', 'linked'] } },
  { daysAgo: 15, runs: { weather: ['sun', 'rain'], order: ['echoed', 'guessed'], export: ['linked', 'linked'] } },
  { daysAgo: 10, runs: { weather: ['rain', 'brokenOff'], order: ['summed', 'echoed'] } },
  { daysAgo: 5, runs: { weather: ['rain', 'refused'], order: ['summed', 'summed'], export: ['linked', 'linked'] } },
  {
    daysAgo: 1,
    runs: { weather: ['refused', 'refused'], order: ['echoed', 'summed'], export: ['unlinked', 'jargon'] },
  },
]

export const NIGHTLY = {
  suiteName: 'Sample: nightly on the reference server',
  suiteDescription:
    'What a program reported night after night. A sample; `mcpdeck serve sample remove` removes all samples.',
  framework: 'nightly',
  passCriteria: { minimumPassRate: 0.9 },
}

/** Nights that are recorded, in days ago, oldest first. */
export const NIGHTS: readonly number[] = [21, 19, 17, 16, 15, 13, 12, 11, 10, 9, 7, 6, 5, 4, 3, 2, 1]

const MODEL = { model: 'anthropic/claude-sonnet-4.5', provider: 'anthropic' }

/** Nights in which the model sent a number as text, which the server refuses. */
const FLAKY: readonly number[] = [19, 16, 12, 9, 5, 3]
const TIMED_OUT: readonly number[] = [13]
/** Nights in which the model's endpoint was unreachable. */
const NO_MODEL: readonly number[] = [17]
/** Days ago since which the schema of the weather tool names its cities. */
const SCHEMA_CHANGED = 6
/** Days ago since which answers take longer every night. */
const SLOWER = 7

/** One trial. If it has no verdict, its expected calls decide. */
type RecordedTrial = {
  caseKey: string
  title: string
  prompt: string
  calls: readonly RecordedCall[]
  expectedCalls?: readonly RecordedCall[]
  answer: string
  total: number
  durationMs: number
  isNegative?: boolean
} & Partial<Pick<ReportedResult, 'verdict' | 'error' | 'errorDetails'>>

/** Fields that the reporting program never sends. */
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

/** The same question as before, asked after the schema changed. */
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
 * Returns the program's report of one night. @param daysAgo one of {@link NIGHTS} @param startedAt epoch milliseconds
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
      // Without expected calls, only the reporting program can judge.
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
