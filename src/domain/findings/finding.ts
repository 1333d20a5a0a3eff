import type { SwarmFinding } from '../../api/contract/journey-findings.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { ScenarioFinding } from '../../api/contract/user-testing.ts'
import { isPlainObject } from '../../lib/json.ts'

/** Sources of findings: waves of journeys, or visitors of a published scenario. */
export const FINDING_SOURCES = ['swarm', 'scenario'] as const
export type FindingSource = (typeof FINDING_SOURCES)[number]

type ScenarioName = { id: string; name: string }

/**
 * A finding of either source. Times are epoch milliseconds. Absent fields were not reported and never count as 0.
 * Dismissal is independent of the status: a finding can be recurring and dismissed at once.
 */
export type Finding = {
  /** Unique across both sources and all scenarios. */
  key: string
  /** Absent if a document has no id. Such a finding cannot be dismissed. */
  id: string | undefined
  source: FindingSource
  /** Set only for findings of scenarios. */
  scenario: ScenarioName | undefined
  title: string | undefined
  subject: { kind: string | undefined; id: string | undefined; label: string | undefined }
  dimension: string | undefined
  status: string | undefined
  isDismissed: boolean
  dismissedAt: number | undefined
  severity: string | undefined
  confidence: string | undefined
  /** Number of waves, or windows, in which the finding was seen. */
  occurrences: number | undefined
  firstSeenAt: number | undefined
  lastSeenAt: number | undefined
  resolvedAt: number | undefined
  updatedAt: number | undefined
  /** The last wave or window in which the finding was seen. */
  lastSeenIn: string | undefined
  fingerprint: string | undefined
  /** The record as the service returned it. */
  record: Readonly<Record<string, unknown>>
}

type Open = Readonly<Record<string, unknown>>

export function textAt(record: Open, ...names: string[]): string | undefined {
  const value = names.map(name => record[name]).find(each => typeof each === 'string' && each !== '')
  return value as string | undefined
}

function numberAt(record: Open, name: string): number | undefined {
  const value = record[name]
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined
}

function timeAt(record: Open, name: string): number | undefined {
  const value = record[name]
  return typeof value === 'number' || typeof value === 'string' ? toEpochMs(value) : undefined
}

/** Returns the value of `findingKey` in a place's parameters. */
export function findingKey(id: string, scenarioId?: string): string {
  return scenarioId === undefined ? id : `${scenarioId}/${id}`
}

function subjectOf(value: unknown): Finding['subject'] {
  if (typeof value === 'string') return { kind: undefined, id: undefined, label: value }
  const subject = isPlainObject(value) ? value : {}
  return { kind: textAt(subject, 'kind'), id: textAt(subject, 'id'), label: textAt(subject, 'label', 'name') }
}

function common(record: Open) {
  const dismissedAt = timeAt(record, 'dismissedAt')
  return {
    title: textAt(record, 'title'),
    subject: subjectOf(record['subject']),
    dimension: textAt(record, 'dimension', 'category', 'kind'),
    status: textAt(record, 'status'),
    isDismissed: dismissedAt !== undefined || record['dismissed'] === true,
    dismissedAt,
    severity: textAt(record, 'severity'),
    confidence: textAt(record, 'confidence'),
    occurrences: numberAt(record, 'occurrenceCount'),
    firstSeenAt: timeAt(record, 'firstSeenAt'),
    lastSeenAt: timeAt(record, 'lastSeenAt'),
    resolvedAt: timeAt(record, 'resolvedAt'),
    updatedAt: timeAt(record, 'updatedAt'),
    fingerprint: textAt(record, 'fingerprint', 'signalFingerprint'),
    record,
  }
}

const made = new WeakMap<object, Finding>()

/** Returns the finding of a record: the same object for the same record and scenario. */
function once(record: object, scenario: ScenarioName | undefined, make: () => Finding): Finding {
  const known = made.get(record)
  if (known && known.scenario?.id === scenario?.id && known.scenario?.name === scenario?.name) return known
  const finding = make()
  made.set(record, finding)
  return finding
}

export function swarmFinding(record: SwarmFinding): Finding {
  return once(record, undefined, () => ({
    ...common(record),
    key: findingKey(record.id),
    id: record.id,
    source: 'swarm',
    scenario: undefined,
    lastSeenIn: record.lastSeenWaveId ?? undefined,
  }))
}

/**
 * Converts a finding of a scenario. The contract does not define this document, so its id may have one of several
 * names.
 */
export function scenarioFinding(record: ScenarioFinding, scenario: ScenarioName): Finding {
  return once(record, scenario, () => {
    const id = textAt(record, 'id', 'findingId', 'remediationId')
    const fields = common(record)
    const name = id ?? fields.fingerprint ?? `unnamed ${fields.title ?? ''} ${fields.firstSeenAt ?? ''}`
    return {
      ...fields,
      key: findingKey(name, scenario.id),
      id,
      source: 'scenario',
      scenario,
      lastSeenIn: textAt(record, 'lastSeenWindowId', 'windowId'),
    }
  })
}

type ScenarioFindings = { scenario: ScenarioName; items: readonly ScenarioFinding[] }

/**
 * Merges the findings of both sources. A finding that appears on two pages, because the list changed between reads, is
 * listed once.
 */
export function mergeFindings(swarm: readonly SwarmFinding[], scenarios: readonly ScenarioFindings[]): Finding[] {
  const all = new Map<string, Finding>()
  const add = (finding: Finding): void => {
    if (!all.has(finding.key)) all.set(finding.key, finding)
  }
  for (const record of swarm) add(swarmFinding(record))
  for (const { scenario, items } of scenarios) for (const record of items) add(scenarioFinding(record, scenario))
  return [...all.values()]
}

/** Returns a short name for a finding. */
export function findingName({ title, subject, id, key }: Finding): string {
  return title ?? subject.label ?? subject.id ?? id ?? key
}
