import { parseStored } from '../../lib/json.ts'
import type { Background } from '../core/background.ts'
import { recordGradedWave } from '../findings/records.ts'
import { newId } from '../core/ids.ts'
import type { ScenarioRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import { DAY_MS, type ScenarioWindowRow } from './visitor-session-rows.ts'
import { coverageOf, LEFT_AFTER_MS, mineSignals, toSighting, type Coverage, type Signal } from './signals.ts'

/** The result of analyzing a window: what the sessions could have shown, and what they showed. */
export type Mined = { sessionCount: number; messageCount: number; signals: Signal[]; coverage: Coverage[] }

type Mining = { store: Store; now: () => number }

const MINE_EVERY_MS = 6000

/** Analyzes the sessions of visitors repeatedly. */
export function mineInBackground(mining: Mining, background: Background): void {
  background.every(MINE_EVERY_MS, () => mineDue(mining))
}

/**
 * Analyzes every window in which there was activity, or whose sessions became inactive, since its last analysis. A
 * window consists of the sessions that began on one UTC day. A window that changed updates the findings.
 * @param scenarioId analyzes only this scenario
 */
export function mineDue({ store, now }: Mining, scenarioId?: string): void {
  const { windows } = store.visitorSessions
  if (windows.due(now(), LEFT_AFTER_MS, scenarioId).length === 0) return
  store.write(() => {
    for (const due of windows.due(now(), LEFT_AFTER_MS, scenarioId)) {
      const scenario = store.scenarios.getEver(due.scenarioId)
      if (scenario) mineWindow(store, scenario, due.startAt, now())
    }
  })
}

/** Returns the newest window with its result. */
export function latestWindow(
  store: Store,
  scenarioId: string,
): (Omit<ScenarioWindowRow, 'signals'> & Mined) | undefined {
  const row = store.visitorSessions.windows.latest(scenarioId)
  return row && { ...row, ...minedOf(row) }
}

function mineWindow(store: Store, scenario: ScenarioRow, startAt: number, now: number): void {
  const { windows, messages, startedBetween } = store.visitorSessions
  const endAt = startAt + DAY_MS
  const sessions = startedBetween(scenario.id, startAt, endAt).map(session => ({
    session,
    messages: messages.all(session.id),
  }))
  const mined: Mined = {
    sessionCount: sessions.length,
    messageCount: sessions.reduce((sum, one) => sum + one.messages.length, 0),
    signals: mineSignals(scenario, sessions, now),
    coverage: coverageOf(scenario, sessions, now),
  }
  const known = windows.at(scenario.id, startAt)
  const signals = JSON.stringify(mined)
  const id = known?.id ?? newId('win')
  const row: ScenarioWindowRow = { id, scenarioId: scenario.id, startAt, endAt, minedAt: now, signals }
  windows.save(row)
  if (known?.signals === signals) return
  // Later days are recorded again, because their results depend on whether the signal was seen before.
  for (const window of [row, ...windows.after(scenario.id, startAt)]) recordWindow(store, scenario, window, now)
}

/** Updates the findings with the result of a window. A repeat changes nothing. */
function recordWindow(
  store: Store,
  { id: scenarioId, projectId }: ScenarioRow,
  row: ScenarioWindowRow,
  now: number,
): void {
  const { signals, coverage } = minedOf(row)
  const looked = new Set(coverage.map(({ kind, subjectId }) => `${kind}/${subjectId}`))
  const wave = {
    projectId,
    source: { kind: 'user-testing', scenarioId } as const,
    waveId: row.id,
    // A day that is analyzed again later keeps its position before the next day.
    at: Math.min(row.minedAt, row.endAt - 1),
    covers: ({ dimension, subjectId }: { dimension: string; subjectId: string }) =>
      looked.has(`${dimension}/${subjectId}`),
    sightings: signals.map(toSighting),
  }
  recordGradedWave(store, wave, now)
}

function minedOf({ signals }: ScenarioWindowRow): Mined {
  return parseStored(signals) as Mined
}
