import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { stateOf, type ExaminedReport } from '../servers/findings.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { utcTime } from '../../lib/times.ts'
import type { Pinned } from './notebook.ts'
import { causeOf, CAUSES, countCauses } from '../runs/causes.ts'
import { runCounts } from '../runs/counts.ts'
import { variantOfTrial } from '../runs/variants.ts'
import { passedPart } from '../runs/graded.ts'
import { outcomeOfRun, whyUndecided } from '../runs/outcome.ts'
import { ownValue } from '../../lib/own-value.ts'

type Facts = Pinned['facts']
type Open = Readonly<Record<string, unknown>>

/**
 * Fields of a record that are shown, by kind of thing. `.` enters an object. Other fields are not stored, and no field
 * that grants access is listed.
 */
const FIELDS: Readonly<Record<string, readonly (readonly [label: string, path: string])[]>> = {
  trial: [
    ['Title', 'title'],
    ['Status', 'status'],
    ['Result', 'result'],
    ['Trial', 'iterationNumber'],
    ['Model', 'model'],
    ['Started', 'startedAt'],
    ['Took (ms)', 'durationMs'],
    ['Error', 'error'],
  ],
  finding: [
    ['Status', 'status'],
    ['Dimension', 'dimension'],
    ['Severity', 'severity'],
    ['Subject', 'subject.label'],
    ['Occurrences', 'occurrenceCount'],
    ['First seen', 'firstSeenAt'],
    ['Last seen', 'lastSeenAt'],
    ['Dismissed', 'dismissedAt'],
  ],
  server: [
    ['Transport', 'transportType'],
    ['Enabled', 'enabled'],
    ['Updated', 'updatedAt'],
    ['Last examination', 'status'],
    ['What failed', 'why'],
    ['Examined', 'at'],
  ],
  scenario: [
    ['Access', 'mode'],
    ['Client', 'hostName'],
    ['Servers', 'serverCount'],
    ['Created', 'createdAt'],
    ['Updated', 'updatedAt'],
  ],
  suite: [
    ['Last run', 'latestRun.status'],
    ['Passed', 'latestRun.passed'],
    ['Failed', 'latestRun.failed'],
    ['Last run launched', 'latestRun.createdAt'],
  ],
  project: [
    ['Role', 'role'],
    ['Visibility', 'visibility'],
    ['Created', 'createdAt'],
  ],
  write: [
    ['Operation', 'operation'],
    ['May have left', 'sent'],
    ['Noted', 'intendedAt'],
    ['Last under way', 'lastSeenAt'],
  ],
  connection: [['Last answer', 'since']],
  pause: [['Requests go on', 'pausedUntil']],
}

/** The data that was read about a run in addition to its own record. */
export type AroundRun = { suite?: string | undefined; trials?: readonly EvalIteration[] | undefined }

/** Returns the stored facts of a thing, as the service returned them; of an unknown kind, only the name. */
export function factsOf(kind: string, record: unknown, around: AroundRun = {}): Facts {
  if (kind === 'run') return runFacts(record as EvalRun, around)
  return (ownValue(FIELDS, kind) ?? []).flatMap(([label, path]) => {
    const value = path.split('.').reduce<unknown>((at, name) => (Object(at) as Open)[name], record)
    const text = factText(path, value)
    return text === undefined ? [] : [[label, text] as const]
  })
}

function factText(path: string, value: unknown): string | undefined {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const isTime = /(?:At|^at|since|Until)$/.test(path)
  const at = isTime ? toEpochMs(value) : undefined
  return at === undefined ? String(value) : utcTime(at)
}

function runFacts(run: EvalRun, { suite, trials = [] }: AroundRun): Facts {
  const counts = runCounts(run)
  const graded = counts && counts.passed + counts.failed
  const facts: [string, string | null | undefined][] = [
    ['Status', run.status],
    ['Outcome', [outcomeOfRun(run), passedPart(run)].filter(Boolean).join(', ')],
    ['Passed', counts && `${counts.passed} of ${graded}${counts.unit === undefined ? '' : ` ${counts.unit}`}`],
    ['Without a verdict', whyUndecided(run)],
    ...failingFacts(trials),
    ['Suite', suite ?? run.suiteId],
    ['Suite id', suite === undefined ? undefined : run.suiteId],
    ['Environment', run.environment?.name ?? run.environment?.id],
    ['Client', run.client?.name],
    ['Model', run.client?.modelId],
    ['Launched', timeText(run.createdAt)],
    ['Ended', timeText(run.completedAt)],
  ]
  return facts.flatMap(([label, value]) => (value == null ? [] : [[label, value] as const]))
}

/** Maximum number of cases named. */
const MOST_FAILING = 5

/** Returns the cases that failed or could not be measured, with the cause of each and the reason as received. */
function failingFacts(trials: readonly EvalIteration[]): [string, string][] {
  const first = new Map<string, EvalIteration>()
  for (const trial of trials)
    if (causeOf(trial) !== undefined && !first.has(variantOfTrial(trial))) first.set(variantOfTrial(trial), trial)
  const hasModels = new Set(trials.map(({ model }) => model)).size > 1
  return [...first.values()].slice(0, MOST_FAILING).map(trial => {
    const [found] = countCauses([trial])
    const words = [CAUSES[found?.cause ?? 'unknown'], found?.reason].filter(Boolean).join(': ')
    const name = trial.title ?? trial.testCaseId ?? trial.id
    return ['Failing case', `${name}${hasModels && trial.model ? ` on ${trial.model}` : ''} (${words})`]
  })
}

function timeText(time: number | string | null | undefined): string | undefined {
  const at = toEpochMs(time)
  return at === undefined ? undefined : utcTime(at)
}

const FINDINGS = { wrong: 'Warning', advice: 'Advice', unchecked: 'Not checked' } as const

/** Returns the facts of a doctor's report on a server, one for each step. */
export function doctorFacts(report: ExaminedReport, server: { enabled: boolean }): Facts {
  return [
    ['Report', stateOf(report, server)],
    ['Examined', timeText(report.generatedAt) ?? ''],
    ['Connection', `${report.connection.status}: ${report.connection.detail}`],
    ...Object.entries(report.checks).flatMap(([step, check]) => {
      const { status, detail } = Object(check) as { status?: unknown; detail?: unknown }
      if (typeof status !== 'string') return []
      return [[step, typeof detail === 'string' ? `${status}: ${detail}` : status] as const]
    }),
    ...report.findings.map(({ kind, text }) => [FINDINGS[kind], text] as const),
    ...(report.error ? [['Error', `${report.error.code}: ${report.error.message}`] as const] : []),
  ]
}

/** Returns the name of a record; a run is named by its suite, if `suite` names that, and its number. */
export function nameOf(kind: string, record: unknown, suite?: string): string {
  const { name, title, runNumber, id, fingerprint, subject } = Object(record) as Open
  const { label } = Object(subject) as Open
  if (kind === 'run') {
    const words = [suite, typeof runNumber === 'number' ? `#${runNumber}` : undefined].filter(Boolean)
    if (words.length > 0) return words.join(' ')
  }
  const found = [name, title, label, fingerprint, id].find(each => typeof each === 'string' && each !== '')
  return (found as string | undefined) ?? kind
}
