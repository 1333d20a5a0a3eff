import type { AttemptEnd } from '../journey-runs/rows.ts'
import type { JudgeAnswer } from '../journey-runs/grading.ts'

/** A call of a tool of the reference server, as its assistant received it. */
export type RecordedCall = {
  toolName: string
  arguments: Record<string, unknown>
  resultText: string
  isError?: boolean
  durationMs: number
}

/** What somebody said, and what came of it. */
export type RecordedTurn = {
  said: string
  calls: RecordedCall[]
  answer: string
  tokens: { inputTokens: number; outputTokens: number }
  durationMs: number
}

/** One session of a journey with the judge's answer; one that broke off was not judged. */
export type RecordedSession = { turns: RecordedTurn[] } & (
  | { judged: JudgeAnswer }
  | { failure: AttemptEnd & { status: 'failed' | 'rate_limited' } }
)

/** Every name of a sample begins with this. */
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
    name: `${MARK}export with its files`,
    goal: 'Start the export, learn when it is done, and get links to two files of it.',
  },
}

/**
 * What somebody waved through: the assistant echoes a figure before it adds it up, which costs a call and harms nobody.
 * Named by dimension, journey and criterion.
 */
export const DISMISSED = { dimension: 'rubric', journey: 'order', criterion: 'fitting-tools', daysAgo: 9 } as const
