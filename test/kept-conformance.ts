import { createConformanceReports, conformanceReportsKey } from '../src/domain/conformance/reports.ts'
import { readChecks } from '../src/domain/conformance/verdict.ts'
import { systemClock } from '../src/lib/clock.ts'
import { times } from './kept-things.ts'
import { storedAt } from './stored-file.ts'

export const conformanceReportsAt = (file: string) =>
  createConformanceReports({ stored: storedAt(file, conformanceReportsKey), clock: systemClock })

const failed = { id: 'c', description: 'd', found: 'nothing', requirements: [] }
const scenario = { name: 's', state: 'failed' as const, isExpected: false, durationMs: 1, why: undefined, passed: 0 }
const checks = (size: number, description = 'd') =>
  readChecks(JSON.stringify(times(size, at => ({ id: `c${at}`, status: 'SUCCESS', description }))), text => text)

/** Returns how much of the given amount is kept of everything that is stored or read of the conformance suite. */
export function conformanceProbes(freshFile: () => string) {
  const kept = (scenarios: number, checksOfEach = 1) => {
    const reports = conformanceReportsAt(freshFile())
    const report = times(scenarios, () => ({ ...scenario, failed: times(checksOfEach, () => failed) }))
    reports.keep({ projectId: 'p', serverId: 's' }, { verdict: 'failed', version: '1', scenarios: report })
    return reports.of('p')[0]!.report.scenarios
  }
  return {
    conformanceReports(size: number) {
      const reports = conformanceReportsAt(freshFile())
      for (let at = 0; at < size; at += 1)
        reports.keep({ projectId: 'p', serverId: `s${at}` }, { verdict: null, version: '1', scenarios: [] })
      return reports.of('p').length
    },
    conformanceScenarios: (size: number) => kept(size).length,
    conformanceFailed: (size: number) => kept(1, size)[0]!.failed.length,
    conformanceChecks: (size: number) => checks(size)?.length ?? ('refused' as const),
    conformanceText: (size: number) => checks(1, 't'.repeat(size))![0]!.description.length,
  }
}
