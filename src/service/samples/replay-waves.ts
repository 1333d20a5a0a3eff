import { setDismissed, scopeOf } from '../findings/records.ts'
import { newId } from '../core/ids.ts'
import { beginAttempt, endAttempt } from '../journey-runs/engine.ts'
import { gradesOf } from '../journey-runs/grading.ts'
import { insertJourneyRun, resolveTargets } from '../journey-runs/launch.ts'
import { endJourneyRun } from '../journey-runs/sightings.ts'
import type { AttemptRow, JourneyRunRow } from '../journey-runs/rows.ts'
import { type JourneyRow, insertJourney } from '../journeys/journeys.ts'
import { insertPersona } from '../personas/personas.ts'
import { insertSwarm } from '../swarms/swarms.ts'
import { environmentOf, type Stage } from './stage.ts'
import {
  SESSIONS,
  WAVES,
  DISMISSED,
  JOURNEYS,
  PERSONAS,
  SWARM,
  type JourneyName,
  type RecordedCall,
  type RecordedSession,
} from './recorded.ts'
const CAST_DAYS = 21
const WAVE_HOUR = 9
/** Usage of the model for one message of the persona. */
const PLAYING = { usage: { inputTokens: 380, outputTokens: 25, totalTokens: 405 }, durationMs: 1200 }
/** Milliseconds of an answer before its first tool call. */
const THINKING_MS = 500
const GRADING_MS = 4000

export function replayWaves(stage: Stage): void {
  const journeys = insertJourneys(stage)
  let isDismissed = false
  for (const { daysAgo, runs } of WAVES) {
    if (!isDismissed && daysAgo < DISMISSED.daysAgo) {
      dismiss(stage, journeys)
      isDismissed = true
    }
    const waveId = newId('wav')
    let clock = stage.at(daysAgo, WAVE_HOUR)
    for (const name of Object.keys(JOURNEYS) as JourneyName[]) {
      const all: Record<string, RecordedSession> = SESSIONS[name]
      const sessions = (runs[name] ?? []).flatMap(session => all[session] ?? [])
      if (sessions.length > 0) clock = replayRun(stage, { journey: journeys[name], waveId, sessions }, clock)
    }
  }
}

function insertJourneys(stage: Stage): Record<JourneyName, JourneyRow> {
  const { store, project, at, mark } = stage
  const madeAt = at(CAST_DAYS, WAVE_HOUR)
  const environmentIds = [environmentOf(stage).environment.id]
  const swarm = insertSwarm(store, project.id, { ...SWARM, environmentIds }, madeAt)
  mark('swarm', swarm)
  const persona = (name: keyof typeof PERSONAS) => {
    const row = insertPersona(store, project.id, PERSONAS[name], madeAt)
    mark('persona', row)
    return row.id
  }
  const personas = { planner: persona('planner'), bookkeeper: persona('bookkeeper') }
  const journey = (which: JourneyName) => {
    const { persona: who, name, goal } = JOURNEYS[which]
    const { sessionsPerTarget, maxTurns } = SWARM
    const content = { name, goal, personaId: personas[who], swarmId: swarm.id, sessionsPerTarget, maxTurns }
    const row = insertJourney(store, project.id, content, madeAt)
    mark('journey', row)
    return row
  }
  return { weather: journey('weather'), order: journey('order'), export: journey('export') }
}

type Replay = { journey: JourneyRow; waveId: string; sessions: readonly RecordedSession[] }

/** @returns the time at which the run ended */
function replayRun({ store }: Stage, { journey, waveId, sessions }: Replay, startedAt: number): number {
  const targets = resolveTargets(store, journey, undefined).map(({ target }) => target)
  const { run, attempts } = insertJourneyRun(store, newId('jrn'), { journey, targets, waveId }, startedAt)
  let clock = startedAt
  for (const attempt of attempts) {
    const session = sessions[attempt.position]
    if (session) clock = replaySession({ store, run, attempt, session }, clock)
  }
  endJourneyRun(store, run.id, 'ended', clock)
  return clock
}

/** @returns the time at which the session or its grading ended */
function replaySession(
  {
    store,
    run,
    attempt,
    session,
  }: Pick<Stage, 'store'> & { run: JourneyRunRow; attempt: AttemptRow; session: RecordedSession },
  startedAt: number,
): number {
  const sessionId = beginAttempt(store, run, attempt, startedAt)
  const serverName = run.plan.targets[attempt.targetPosition]?.servers[0]?.name ?? ''
  let clock = startedAt
  const say = (message: Omit<Parameters<typeof store.journeySessions.append>[0], 'sessionId' | 'createdAt'>) => {
    clock += message.durationMs
    store.journeyRuns.beat(run.id, clock)
    store.journeySessions.append({ sessionId, ...message, createdAt: clock })
  }
  for (const { said, calls, answer, tokens, durationMs } of session.turns) {
    say({ role: 'user', text: said, toolCalls: [], ...PLAYING })
    const toolCalls = calls.map(call => toToolCall(call, serverName, clock + THINKING_MS))
    const usage = { ...tokens, totalTokens: tokens.inputTokens + tokens.outputTokens }
    say({ role: 'assistant', text: answer, toolCalls, usage, durationMs })
  }
  const succeeded = { status: 'succeeded', errorCode: null, errorMessage: null } as const
  const end = 'failure' in session ? session.failure : succeeded
  endAttempt(store, attempt, { sessionId, end }, clock)
  if ('failure' in session) return clock
  const messages = store.journeySessions.messages(sessionId)
  store.journeySessions.endGrading(sessionId, { grades: gradesOf({ plan: run.plan, messages }, session.judged) })
  return clock + GRADING_MS
}

function toToolCall({ isError = false, ...call }: RecordedCall, serverName: string, startedAt: number) {
  return { ...call, serverName, isError, startedAt }
}

/** Dismisses a finding, as a person did between two waves. */
function dismiss({ store, project, at }: Stage, journeys: Record<JourneyName, JourneyRow>): void {
  const { dimension, journey, criterion, daysAgo } = DISMISSED
  const subjectId = `${journeys[journey].id}/${criterion}`
  const found = store.findings
    .list(scopeOf(project.id, { kind: 'swarm' }))
    .find(row => row.dimension === dimension && row.subjectId === subjectId)
  if (found) setDismissed(store, found, true, at(daysAgo, WAVE_HOUR))
}
