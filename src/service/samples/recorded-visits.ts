import { BOSTON, CHICAGO, LOS_ANGELES } from './recorded-sessions.ts'
import type { RecordedTurn } from './recorded.ts'

export const SCENARIO = {
  name: 'Sample: weather desk',
  description:
    'Invited people ask for the weather; nobody has its link. A sample; `mcpdeck serve sample remove` removes all samples.',
  mode: 'invited_only',
} as const

export const MEMBERS = ['ada@example.com', 'grace@example.com', 'alan@example.com'] as const

/** Somebody said something, and got an answer or none. */
type VisitTurn = RecordedTurn | (Pick<RecordedTurn, 'said'> & { failure: 'TIMEOUT' })

export type RecordedVisit = {
  member: (typeof MEMBERS)[number]
  deviceKind: 'desktop' | 'mobile'
  language: string
  turns: VisitTurn[]
  feedback?: { rating: number; comment?: string }
  /** Whether the visitor ended the session; otherwise it fell silent. */
  isEnded: boolean
}

const tokens = { inputTokens: 540, outputTokens: 70 }

const rain: VisitTurn = {
  said: 'What is the weather in Chicago?',
  calls: [CHICAGO],
  answer: 'Light rain at 36 degrees; take an umbrella.',
  tokens,
  durationMs: 2400,
}
const sun: VisitTurn = {
  said: 'How warm is Los Angeles today?',
  calls: [LOS_ANGELES],
  answer: 'Sunny and clear, 73 degrees.',
  tokens,
  durationMs: 2200,
}
const slow: VisitTurn = { ...sun, durationMs: 11_800 }
const refused = (said: string): VisitTurn => ({
  said,
  calls: [BOSTON],
  answer: 'I cannot look up Boston.',
  tokens,
  durationMs: 2700,
})
const unanswered: VisitTurn = { said: 'Is there snow in New York?', failure: 'TIMEOUT' }

const ada = { member: 'ada@example.com', deviceKind: 'desktop', language: 'en' } as const
const grace = { member: 'grace@example.com', deviceKind: 'mobile', language: 'en' } as const
const alan = { member: 'alan@example.com', deviceKind: 'desktop', language: 'de' } as const

/** Days with visitors, oldest first. */
export const VISITS: readonly { daysAgo: number; visits: RecordedVisit[] }[] = [
  {
    daysAgo: 20,
    visits: [
      { ...ada, turns: [rain], feedback: { rating: 5, comment: 'Quick and clear.' }, isEnded: true },
      { ...grace, turns: [unanswered], isEnded: false },
      { ...alan, turns: [sun], isEnded: false },
    ],
  },
  {
    daysAgo: 14,
    visits: [
      { ...ada, turns: [slow], feedback: { rating: 2, comment: 'Took very long.' }, isEnded: true },
      { ...alan, turns: [rain, sun], isEnded: true },
    ],
  },
  {
    daysAgo: 8,
    visits: [
      { ...ada, turns: [rain], feedback: { rating: 4 }, isEnded: true },
      { ...grace, turns: [sun], isEnded: true },
    ],
  },
  {
    daysAgo: 4,
    visits: [
      { ...grace, turns: [refused('Will it rain in Boston?')], isEnded: false },
      { ...alan, turns: [sun], feedback: { rating: 5 }, isEnded: true },
    ],
  },
  {
    daysAgo: 1,
    visits: [
      {
        ...ada,
        turns: [refused('What is the weather in Boston?'), refused('What is the weather in Boston today?')],
        feedback: { rating: 1, comment: 'It knew Boston last month.' },
        isEnded: false,
      },
      { ...grace, turns: [rain], isEnded: false },
      { ...alan, turns: [sun, rain], isEnded: true },
    ],
  },
]
