import * as z from 'zod'
import { openObject, record, shape } from '../../api/contract/shapes.ts'
import { label } from '../eval-ingest/document.ts'
import type { ConformanceCounts } from './rows.ts'

/** What a report is asked for when a program names nothing. */
const DEFAULT_SUITES = ['protocol', 'apps', 'tasks']
const MAX_SUITES = 20

const suiteKind = shape(() => label().regex(/^[A-Za-z0-9_-]{1,64}$/))

const Check = shape(() =>
  record({ id: z.string().min(1), status: z.enum(['passed', 'failed', 'skipped']), skipReason: z.string().nullish() }),
)

/** One suite's report: its checks are read, everything else is kept as it came. */
const SuiteReport = shape(() => record({ groups: z.array(record({ cases: z.array(Check()) })) }))
type SuiteReport = z.output<typeof SuiteReport>

/** What a conformance run is opened with; undeclared fields are let through and not kept, whatever they hold. */
export const ConformanceOpening = shape(() =>
  z.object({
    requestedSuites: z
      .array(suiteKind())
      .min(1)
      .max(MAX_SUITES)
      .nullish()
      .transform(kinds => [...new Set(kinds ?? DEFAULT_SUITES)]),
    externalRunId: label().max(256).nullish(),
    target: openObject().nullish(),
    source: z.string().nullish(),
    protocolVersion: z.string().nullish(),
    engineVersion: z.string().nullish(),
    actorLabel: z.string().nullish(),
    ci: openObject().nullish(),
  }),
)
export type ConformanceOpening = z.output<typeof ConformanceOpening>

/** A finished run with every report in one document. */
export const ConformanceDocument = shape(() =>
  z.object({ ...ConformanceOpening().shape, reports: z.record(suiteKind(), SuiteReport()) }),
)

const runId = label()
export const ConformanceName = shape(() => record({ runId }))
export const ConformanceUpsert = shape(() => record({ runId, suiteKind: suiteKind(), report: SuiteReport() }))

/** How often each verdict occurs; a skipped check that does not say it was inapplicable left something untested. */
export function countChecks(report: SuiteReport): ConformanceCounts {
  const counts: ConformanceCounts = { passed: 0, failed: 0, couldNotRun: 0, notApplicable: 0 }
  for (const { status, skipReason } of report.groups.flatMap(({ cases }) => cases)) {
    if (status !== 'skipped') counts[status]++
    else if (skipReason === 'not-applicable') counts.notApplicable++
    else counts.couldNotRun++
  }
  return counts
}
