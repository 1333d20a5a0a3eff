import { ServiceError } from '../core/errors.ts'
import { noteAnswer, noteFailure, noteQuestion } from '../scenarios/answers.ts'
import { publishScenario, upsertMember } from '../scenarios/records.ts'
import { endByVisitor, insertSession, noteFeedback } from '../scenarios/visits.ts'
import { mineDue } from '../scenarios/windows.ts'
import type { ScenarioMemberRow, ScenarioRow } from '../scenarios/rows.ts'
import type { Resolution } from '../environments/environments.ts'
import { environmentOf, type Stage } from './stage.ts'
import { BOSTON, CHICAGO, LOS_ANGELES, type RecordedTurn } from './recorded.ts'
export const SCENARIO = {
  name: 'Sample: weather desk',
  description:
    'Invited people ask for the weather; nobody has its link. A sample; `mcpdeck serve sample remove` ' +
    'removes all samples.',
  mode: 'invited_only',
} as const

export const MEMBERS = ['ada@example.com', 'grace@example.com', 'alan@example.com'] as const

/** A question of a visitor, with the answer or a failure. */
type VisitTurn = RecordedTurn | (Pick<RecordedTurn, 'said'> & { failure: 'TIMEOUT' })

export type RecordedVisit = {
  member: (typeof MEMBERS)[number]
  deviceKind: 'desktop' | 'mobile'
  language: string
  turns: VisitTurn[]
  feedback?: { rating: number; comment?: string }
  /** Whether the visitor ended the session. Otherwise it was abandoned. */
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

const CAST_DAYS = 21
const FIRST_HOUR = 10
/** Hour of the day at which the day's sessions are analyzed. All visitors have left before. */
const MINING_HOUR = 20
const MINUTE_MS = 60_000

export function replayVisits(stage: Stage): void {
  const { store, at, mark } = stage
  const resolution = environmentOf(stage)
  const publishedAt = at(CAST_DAYS, FIRST_HOUR)
  // Nobody gets the link: it has to be rotated before anyone can use it.
  const { row: scenario } = publishScenario(store, resolution.environment, SCENARIO, publishedAt)
  mark('scenario', scenario)
  const members = MEMBERS.map(email => upsertMember(store, scenario, { email }, publishedAt))
  for (const { daysAgo, visits } of VISITS) {
    for (const [index, visit] of visits.entries())
      replayVisit(stage, { scenario, members, resolution, visit }, at(daysAgo, FIRST_HOUR + index))
    mineDue({ store, now: () => at(daysAgo, MINING_HOUR) }, scenario.id)
  }
}

type Replay = {
  scenario: ScenarioRow
  members: readonly ScenarioMemberRow[]
  resolution: Resolution
  visit: RecordedVisit
}

function replayVisit(
  { store, server }: Stage,
  { scenario, members, resolution, visit }: Replay,
  startedAt: number,
): void {
  const { deviceKind, language, turns, feedback, isEnded } = visit
  const member = members.find(({ email }) => email === visit.member)
  const visitor = {
    authType: 'signedIn',
    memberId: member?.id ?? null,
    keyId: null,
    displayName: visit.member,
  } as const
  const { id } = insertSession(store, scenario, { ...visitor, deviceKind, language }, startedAt).session
  let clock = startedAt
  const noting = { store, now: () => clock }
  for (const turn of turns) {
    clock += MINUTE_MS
    noteQuestion(noting, id, turn.said)
    if ('failure' in turn) {
      clock += 2 * MINUTE_MS
      noteFailure(noting, id, new ServiceError(turn.failure, 'The answer took longer than two minutes.'))
      continue
    }
    const { answer, calls, tokens, durationMs } = turn
    const calledAt = clock
    clock += durationMs
    const toolCalls = calls.map(({ isError = false, ...call }) => ({
      ...call,
      isError,
      serverName: server.name,
      startedAt: calledAt,
    }))
    const usage = { ...tokens, totalTokens: tokens.inputTokens + tokens.outputTokens }
    noteAnswer(noting, id, { text: answer, cut: undefined, toolCalls, usage, durationMs }, resolution)
  }
  clock += MINUTE_MS
  // The session is read again each time, since every message changes it.
  const session = () => store.visitorSessions.get(id)
  const rated = feedback && session()
  if (rated) noteFeedback(store, rated, feedback, clock)
  const ended = isEnded ? session() : undefined
  if (ended) endByVisitor(store, ended, clock)
}
