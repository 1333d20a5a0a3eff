import { ServiceError } from '../core/errors.ts'
import { noteAnswer, noteFailure, noteQuestion } from '../scenarios/answers.ts'
import { publishScenario, upsertMember } from '../scenarios/records.ts'
import { endByVisitor, insertSession, noteFeedback } from '../scenarios/visits.ts'
import { mineDue } from '../scenarios/windows.ts'
import type { ScenarioMemberRow, ScenarioRow } from '../scenarios/rows.ts'
import type { Resolution } from '../environments/resolution.ts'
import { environmentOf, type Stage } from './stage.ts'
import { MEMBERS, SCENARIO, VISITS, type RecordedVisit } from './recorded-visits.ts'

const CAST_DAYS = 21
const FIRST_HOUR = 10
/** When a day's sessions are looked through; all of its visitors have left. */
const MINING_HOUR = 20
const MINUTE_MS = 60_000

/** Publishes the environment to invited people, and lets every recorded visit happen again. */
export function replayVisits(stage: Stage): void {
  const { store, at, mark } = stage
  const resolution = environmentOf(stage)
  const publishedAt = at(CAST_DAYS, FIRST_HOUR)
  // Nobody is told the link: whoever wants to use it has to rotate it.
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
    noteAnswer(noting, id, { text: answer, toolCalls, usage, durationMs }, resolution)
  }
  clock += MINUTE_MS
  // Read again each time, since every note changes the session.
  const session = () => store.visitorSessions.get(id)
  const rated = feedback && session()
  if (rated) noteFeedback(store, rated, feedback, clock)
  const ended = isEnded ? session() : undefined
  if (ended) endByVisitor(store, ended, clock)
}
