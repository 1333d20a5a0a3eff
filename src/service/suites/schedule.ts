import type * as z from 'zod'
import type { EvalSuiteScheduleRequest } from '../../api/contract/suite-extras.ts'
import type { EvalSuiteDetail } from '../../api/contract/suites.ts'
import type { ServiceContext } from '../core/context.ts'
import { invalidField } from '../core/validation.ts'
import type { SuiteRow, SuiteScheduleRow } from './rows.ts'
import { chooseTarget } from './target.ts'

export const MINUTE_MS = 60_000

/**
 * Switches a suite's schedule; runs inside the caller's transaction. Switching on holds the suite to what a launch
 * would need now, and pins the environment; switching off keeps the pin. A new interval counts from now.
 * @throws ServiceError as `chooseTarget` does, `VALIDATION_ERROR` without an interval
 */
export function updateSchedule(
  { store, now }: ServiceContext,
  suite: SuiteRow,
  body: z.output<typeof EvalSuiteScheduleRequest>,
  setBy: string,
): void {
  const earlier = store.suiteSchedules.get(suite.id)
  const intervalMinutes = body.intervalMinutes ?? earlier?.intervalMinutes ?? null
  const time = now()
  const base: SuiteScheduleRow = {
    suiteId: suite.id,
    enabled: body.enabled,
    intervalMinutes,
    environmentId: earlier?.environmentId ?? null,
    setBy,
    startsAt: time,
    nextAt: null,
    lastRunId: earlier?.lastRunId ?? null,
    refusedAt: null,
    refusal: null,
  }
  if (!body.enabled) return store.suiteSchedules.put(base)
  if (intervalMinutes === null)
    throw invalidField('intervalMinutes', 'is needed, since the schedule has no interval yet')
  const { environment } = chooseTarget(store, suite, { environmentId: body.environmentId })
  const goesOn = earlier?.enabled === true && earlier.intervalMinutes === intervalMinutes
  store.suiteSchedules.put({
    ...base,
    environmentId: environment?.id ?? null,
    startsAt: goesOn ? earlier.startsAt : time,
    nextAt: goesOn ? earlier.nextAt : nextSlot(time, intervalMinutes * MINUTE_MS, time),
  })
}

/**
 * The first slot after a time. Slots lie at `startsAt + n × intervalMs` for n ≥ 1, so that a slow look or a pause
 * never shifts the ones that follow. Everything is in milliseconds.
 */
export function nextSlot(startsAt: number, intervalMs: number, time: number): number {
  const passed = Math.max(0, Math.floor((time - startsAt) / intervalMs))
  return startsAt + (passed + 1) * intervalMs
}

/**
 * The schedule as a suite shows it. The next slot, the latest run and the latest refusal are more than the contract
 * names: they tell why nothing was launched.
 */
export function toSuiteSchedule(row: SuiteScheduleRow | undefined): NonNullable<EvalSuiteDetail['schedule']> {
  if (!row) return { enabled: false, intervalMinutes: null, environmentId: null }
  const { enabled, intervalMinutes, environmentId, nextAt, lastRunId, refusedAt, refusal } = row
  return {
    enabled,
    intervalMinutes,
    environmentId,
    nextRunAt: nextAt,
    lastRunId,
    lastRefusal: refusedAt === null ? null : { at: refusedAt, message: refusal },
  }
}
