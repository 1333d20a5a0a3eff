import type { JudgeAnswer } from '../journey-runs/grading.ts'
import type { JourneyName, RecordedCall, RecordedSession, RecordedTurn } from './recorded.ts'

/** What the reference server answers to a city that its schema does not name. */
export const REFUSED_CITY =
  'MCP error -32602: Input validation error: Invalid arguments for tool get-structured-content: [ { "code": ' +
  '"invalid_value", "values": [ "New York", "Chicago", "Los Angeles" ], "path": [ "location" ], "message": ' +
  '"Invalid option: expected one of \\"New York\\"|\\"Chicago\\"|\\"Los Angeles\\"" } ]'

export function weatherIn(location: string, resultText: string): RecordedCall {
  return { toolName: 'get-structured-content', arguments: { location }, resultText, durationMs: 210 }
}

export const CHICAGO = weatherIn('Chicago', '{"temperature":36,"conditions":"Light rain / drizzle","humidity":82}')
export const LOS_ANGELES = weatherIn('Los Angeles', '{"temperature":73,"conditions":"Sunny / Clear","humidity":48}')
export const BOSTON: RecordedCall = { ...weatherIn('Boston', REFUSED_CITY), isError: true, durationMs: 95 }

export function sumOf(a: number, b: number): RecordedCall {
  const resultText = `The sum of ${a} and ${b} is ${a + b}.`
  return { toolName: 'get-sum', arguments: { a, b }, resultText, durationMs: 60 }
}

export function echoOf(message: string): RecordedCall {
  return { toolName: 'echo', arguments: { message }, resultText: `Echo: ${message}`, durationMs: 45 }
}

export function exportOf(duration: number, steps: number): RecordedCall {
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

/** Every criterion is met but for those that are named. */
function judged(score: number, reason: string, others: JudgeAnswer['criteria'] = {}): JudgeAnswer {
  const criteria = { grounded: GROUNDED, 'fitting-tools': FITTING, understandable: CLEAR, ...others }
  return { goal: { score, reason }, criteria }
}

function turn(said: string, calls: RecordedCall[], answer: string, durationMs: number): RecordedTurn {
  const outputTokens = 40 + 30 * calls.length + Math.round(answer.length / 4)
  return { said, calls, answer, tokens: { inputTokens: 620 + 140 * calls.length, outputTokens }, durationMs }
}

/** A few sessions of each journey; the waves are made of them. */
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

/** One wave: what each journey's sessions were, in their order. A journey that is missing was not run in it. */
export type RecordedWave = { daysAgo: number; runs: { [J in JourneyName]?: readonly (keyof (typeof SESSIONS)[J])[] } }

/** Oldest first. A few cities were refused from the fourth on, when the server's schema had changed. */
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
