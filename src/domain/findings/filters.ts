import { FINDING_SOURCES, type Finding, type FindingSource } from './finding.ts'

/** The contract's values, most urgent first; a service may send others. */
export const FINDING_STATUSES = ['regressed', 'new', 'recurring', 'resolved'] as const

/** `open` stands for everything that is not resolved, including unknown values. */
const STATUS_CHOICES = ['open', ...FINDING_STATUSES] as const
const DISMISSED_CHOICES = ['no', 'yes'] as const

/** Filters of a triage list. An absent filter is not applied. Each is a parameter of the place. */
export type FindingFilters = {
  status: (typeof STATUS_CHOICES)[number] | undefined
  dismissed: (typeof DISMISSED_CHOICES)[number] | undefined
  source: FindingSource | undefined
  /** The wave that last saw the finding. */
  waveId: string | undefined
}

const CHOICES = { status: STATUS_CHOICES, dismissed: DISMISSED_CHOICES, source: FINDING_SOURCES } as const

/** Returns the filters of a place. Unknown values are ignored. */
export function filtersOf(params: Readonly<Record<string, string>>): FindingFilters {
  const chosen = <T extends string>(choices: readonly T[], text: string | undefined): T | undefined =>
    choices.find(choice => choice === text)
  return {
    status: chosen(CHOICES.status, params['status']),
    dismissed: chosen(CHOICES.dismissed, params['dismissed']),
    source: chosen(CHOICES.source, params['source']),
    waveId: params['waveId'],
  }
}

/** Returns the next value of a filter; after the last one, none. */
export function nextFilter<F extends keyof typeof CHOICES>(filters: FindingFilters, name: F): FindingFilters[F] {
  const choices: readonly (string | undefined)[] = CHOICES[name]
  return choices[choices.indexOf(filters[name]) + 1] as FindingFilters[F]
}

export function isFiltered(filters: FindingFilters): boolean {
  return Object.values(filters).some(value => value !== undefined)
}

export function passesFilters(filters: FindingFilters, finding: Finding): boolean {
  const { status, dismissed, source, waveId } = filters
  if (waveId !== undefined && finding.lastSeenIn !== waveId) return false
  if (status === 'open' ? finding.status === 'resolved' : status !== undefined && finding.status !== status)
    return false
  if (dismissed !== undefined && (dismissed === 'yes') !== finding.isDismissed) return false
  return source === undefined || finding.source === source
}

/** Returns the active filters, one word each: `regressed`, `undismissed`, `scenario`. */
export function filterLabels({ status, dismissed, source, waveId }: FindingFilters): string[] {
  return [
    status === 'open' ? 'unresolved' : status,
    dismissed === undefined ? undefined : dismissed === 'yes' ? 'dismissed' : 'undismissed',
    source,
    waveId === undefined ? undefined : 'seen last by one wave',
  ].filter(word => word !== undefined)
}
