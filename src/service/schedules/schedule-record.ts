import type { EvalSuiteDetail } from '../../api/contract/suites.ts'
import type { SuiteScheduleRow } from '../store/suite-schedules.ts'

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
