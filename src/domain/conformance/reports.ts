import { BOUNDS } from '../../lib/bounds.ts'
import type { Clock } from '../../lib/clock.ts'
import type { Stored } from '../../lib/files/profile-store.ts'
import { createKeptReports, keptReportsKey, type KeptReport, type KeptReports } from '../servers/kept-reports.ts'
import type { Check, Scenario, ScenarioState } from './verdict.ts'

/** The stored part of a scenario: its failed checks, and the number of passed ones. */
export type KeptScenario = Omit<Scenario, 'checks'> & { passed: number; failed: readonly Omit<Check, 'status'>[] }

/** A run of the whole suite against a server. */
export type ConformanceReport = {
  verdict: 'passed' | 'failed' | null
  /** Version of the suite. */
  version: string
  /** Version of the protocol that was requested; absent if none was. */
  specVersion?: string | undefined
  scenarios: readonly KeptScenario[]
}

/** Stores the last complete run against each server. */
export type ConformanceReports = KeptReports<ConformanceReport>

const MOST_SCENARIOS = BOUNDS.conformanceScenarios.most
const MOST_FAILED = BOUNDS.conformanceFailed.most
const STATES: readonly ScenarioState[] = ['passed', 'failed', 'skipped', 'not applicable', 'unjudged']

export const conformanceReportsKey = keptReportsKey<ConformanceReport>('conformance', isReport)

export function createConformanceReports(given: {
  stored: Stored<readonly KeptReport<ConformanceReport>[]>
  clock: Pick<Clock, 'now'>
}): ConformanceReports {
  return createKeptReports({ ...given, most: BOUNDS.conformanceReports.most, shortened })
}

/** Returns the part of a report that is stored. Texts were already cut when the checks were read. */
function shortened({ scenarios, ...report }: ConformanceReport): ConformanceReport {
  return {
    ...report,
    scenarios: scenarios
      .slice(0, MOST_SCENARIOS)
      .map(({ failed, ...scenario }) => ({ ...scenario, failed: failed.slice(0, MOST_FAILED) })),
  }
}

function isReport(value: unknown): value is ConformanceReport {
  const { verdict, version, specVersion, scenarios } = Object(value) as Record<string, unknown>
  return (
    [null, 'passed', 'failed'].includes(verdict as null) &&
    typeof version === 'string' &&
    isTextOrNone(specVersion) &&
    Array.isArray(scenarios) &&
    scenarios.every(isScenario)
  )
}

function isScenario(value: unknown): value is KeptScenario {
  const { name, state, isExpected, durationMs, passed, failed, why } = Object(value) as Record<string, unknown>
  return (
    typeof name === 'string' &&
    STATES.includes(state as ScenarioState) &&
    typeof isExpected === 'boolean' &&
    typeof durationMs === 'number' &&
    typeof passed === 'number' &&
    isTextOrNone(why) &&
    Array.isArray(failed) &&
    failed.every(isCheck)
  )
}

function isCheck(value: unknown): boolean {
  const { id, description, found, requirements } = Object(value) as Record<string, unknown>
  const isTexts = Array.isArray(requirements) && requirements.every(each => typeof each === 'string')
  return typeof id === 'string' && typeof description === 'string' && isTextOrNone(found) && isTexts
}

function isTextOrNone(value: unknown): boolean {
  return value === undefined || typeof value === 'string'
}
