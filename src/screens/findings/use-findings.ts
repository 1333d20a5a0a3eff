import { useCallback, useMemo, useState } from 'react'
import { findingKey, type Finding } from '../../domain/findings/finding.ts'
import { filtersOf, isFiltered, passesFilters, type FindingFilters } from '../../domain/findings/filters.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useArriving } from '../../components/list/use-arriving.ts'
import { useCollection, type Collection } from '../../components/collection/use-collection.ts'
import type { ListState } from '../../components/list/use-list.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { findingColumns, rowKey, type FindingRow } from './columns.ts'
import { findingParams } from './use-behind-place.ts'
import { useSources, type Sources } from './use-sources.ts'

const findingKeyOf = ({ key }: Finding): string => key
/** New and returned findings come first; among equals, the one that recurs most. */
const ATTENTION = { column: 'status', descending: false }
/** Parameters of one finding do not apply to another. */
const WITHIN = ['runId', 'sessionId', 'lastRunId']

/** Returns what counts as a change of a finding: its status, and being seen again, but not who hid it. */
function findingSays({ status, occurrences }: Finding): string {
  return `${status}\n${occurrences}`
}

/** Findings have a date, because sources are read one after the other. */
function findingBornAt({ firstSeenAt }: Finding): number | undefined {
  return firstSeenAt
}

/** Returns the record as the service returned it, for copying and viewing. */
function recordOf({ record, id, key }: FindingRow): { id: string } {
  return typeof record['id'] === 'string' ? (record as { id: string }) : { ...record, id: id ?? key }
}

/** The results of writes to rows, until the lists are read again. */
export type RowNotes = {
  /** Whether each finding is now dismissed according to the answers, by the key of its row. */
  answered: ReadonlyMap<string, boolean>
  /** Why a write was refused, by key. */
  refused: ReadonlyMap<string, string>
  note(key: string, told: { answered?: boolean; refused?: string }): void
  /** Removes the answers about these rows, since their lists were read again. */
  settle(keys: readonly string[]): void
  /** Removes the refusals of these rows. */
  forget(keys: readonly string[]): void
}

export type FindingsList = {
  sources: Sources
  collection: Collection<FindingRow>
  list: ListState<FindingRow>
  /** The selected finding. */
  finding: FindingRow | undefined
  filters: FindingFilters
  notes: RowNotes
}

/** Returns both sources in one list, with filters, news and the results of the last writes. */
export function useFindings(projectId: string): FindingsList {
  const { params } = usePlace()
  const { symbols } = useTheme()
  const sources = useSources(projectId)
  const notes = useRowNotes()
  const { findings } = sources
  const rows = useMemo(() => rowsOf(byRecurrence(findings), notes), [findings, notes])
  const isGraded = useMemo(() => findings.some(({ severity }) => severity !== undefined), [findings])
  const columns = useMemo(() => findingColumns(symbols, isGraded), [symbols, isGraded])
  const { status, dismissed, source, waveId } = filtersOf(params)
  const filters = useMemo(() => ({ status, dismissed, source, waveId }), [status, dismissed, source, waveId])
  const only = useMemo(
    () => (isFiltered(filters) ? (row: FindingRow) => passesFilters(filters, row) : undefined),
    [filters],
  )
  const news = useSeen({
    list: `findings ${projectId}`,
    items: sources.fresh,
    keyOf: findingKeyOf,
    says: findingSays,
    bornAt: findingBornAt,
  })
  const collection = useCollection({
    noun: 'finding',
    items: rows,
    keyOf: rowKey,
    columns,
    initialSorting: ATTENTION,
    news,
    only,
    arriving: useArriving(sources.isRead),
    recordOf,
    placed: {
      key: params.findingId && findingKey(params.findingId, params.scenarioId),
      param: 'findingId',
      paramsOf: findingParams,
      within: WITHIN,
    },
  })
  return { sources, collection, list: collection.list, finding: collection.row, filters, notes }
}

function byRecurrence(findings: readonly Finding[]): Finding[] {
  return findings.toSorted((one, other) => (other.occurrences ?? -1) - (one.occurrences ?? -1))
}

const plainRows = new WeakMap<Finding, FindingRow>()

/**
 * Converts findings to rows. A row stays the same object while its finding does, unless its answer or refusal differs.
 */
function rowsOf(findings: readonly Finding[], { answered, refused }: RowNotes): FindingRow[] {
  return findings.map(finding => {
    const isDismissed = answered.get(finding.key) ?? finding.isDismissed
    const why = refused.get(finding.key)
    if (isDismissed !== finding.isDismissed || why !== undefined) return { ...finding, isDismissed, refused: why }
    const row = plainRows.get(finding) ?? { ...finding, refused: undefined }
    plainRows.set(finding, row)
    return row
  })
}

const NOTHING: Pick<RowNotes, 'answered' | 'refused'> = { answered: new Map(), refused: new Map() }

function useRowNotes(): RowNotes {
  const [{ answered, refused }, set] = useState(NOTHING)
  const note = useCallback<RowNotes['note']>(
    (key, told) =>
      set(now => ({
        answered: told.answered === undefined ? now.answered : new Map(now.answered).set(key, told.answered),
        refused: told.refused === undefined ? now.refused : new Map(now.refused).set(key, told.refused),
      })),
    [],
  )
  const settle = useCallback(
    (keys: readonly string[]) => set(now => ({ ...now, answered: without(now.answered, keys) })),
    [],
  )
  const forget = useCallback(
    (keys: readonly string[]) => set(now => ({ ...now, refused: without(now.refused, keys) })),
    [],
  )
  return useMemo(() => ({ answered, refused, note, settle, forget }), [answered, refused, note, settle, forget])
}

function without<T>(all: ReadonlyMap<string, T>, keys: readonly string[]): ReadonlyMap<string, T> {
  const left = new Map(all)
  for (const key of keys) left.delete(key)
  return left
}
