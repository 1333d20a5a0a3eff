import { least } from '../../lib/extremes.ts'
import type { NowKind, NowLine } from './line.ts'

/** A summary of Now for other programs. docs/scripting.md lists what stays stable. Times are epoch milliseconds. */
export type NowSummary = {
  version: 1
  at: number
  profile: string
  /** `unknown` means that nothing is known to be failing, but not everything is known. */
  state: 'red' | 'clear' | 'unknown'
  counts: { red: number; lines: number; acknowledged: number }
  read: {
    /** Null until the projects are read. */
    projects: number | null
    /** Whether everything requested was read completely. */
    whole: boolean
    /** Number of reads without a current answer. */
    reading: number
    missing: readonly { what: string; why: string }[]
    /** Features that are off for the organization, and therefore not read. */
    closed: readonly string[]
    /** Time of the oldest answer. */
    oldestAt: number | null
  }
  items: readonly NowItem[]
}

export type NowItem = {
  key: string
  kind: NowKind
  /** State of the line in one or two words. */
  state: string
  urgency: NowLine['urgency']
  red: boolean
  acknowledged: boolean
  says: string
  project: { id: string; name: string } | null
  since: number | null
  readAt: number | null
  /** Address of the place that the line leads to; null if there is none. */
  place: string | null
}

/** A read of Now, and its result. */
export type SummarySource = {
  what: string
  state: 'read' | 'reading' | 'error' | 'closed'
  at: number | undefined
  /** Why the state is unknown. */
  why: string | undefined
}

/** Kinds of lines about what only this program does not know, which say nothing about the service. */
const DOUBTS: ReadonlySet<NowKind> = new Set(['line', 'rate', 'write'])

/** Whether the line leaves open if something is wrong, as a wave does that may have failed, or partly did. */
function isDoubt({ kind, isFault }: NowLine): boolean {
  return DOUBTS.has(kind) || (kind === 'wave' && isFault)
}

/** Whether the line reports that something is wrong with the service or its things. */
export function isRed({ kind, mark }: Pick<NowLine, 'kind' | 'mark'>): boolean {
  return mark === 'error' && !DOUBTS.has(kind)
}

/** Summarizes ordered lines. Red lines stay red when acknowledged, and only complete reads count as clear. */
export function summaryOf(given: {
  lines: readonly NowLine[]
  sources: readonly SummarySource[]
  /** Number of projects included; undefined until they are read. */
  projects: number | undefined
  isAcknowledged: (line: NowLine) => boolean
  placeOf: (line: NowLine) => string | undefined
  profile: string
  now: number
}): NowSummary {
  const { lines, sources, projects, isAcknowledged, placeOf } = given
  const items = lines.map((line): NowItem => ({
    key: line.key,
    kind: line.kind,
    state: line.word,
    urgency: line.urgency,
    red: isRed(line),
    acknowledged: isAcknowledged(line),
    says: line.sentence,
    project: line.project ? { id: line.project.id, name: line.project.name } : null,
    since: line.at ?? null,
    readAt: line.readAt ?? null,
    place: placeOf(line) ?? null,
  }))
  const missing = sources.flatMap(({ what, why }) => (why === undefined ? [] : [{ what, why }]))
  const reading = sources.filter(({ state }) => state === 'reading').length
  const whole = projects !== undefined && missing.length === 0 && reading === 0
  const red = items.filter(item => item.red).length
  const times = sources.flatMap(({ at }) => at ?? [])
  return {
    version: 1,
    at: given.now,
    profile: given.profile,
    state: red > 0 ? 'red' : whole && !lines.some(isDoubt) ? 'clear' : 'unknown',
    counts: { red, lines: items.length, acknowledged: items.filter(({ acknowledged }) => acknowledged).length },
    read: {
      projects: projects ?? null,
      whole,
      reading,
      missing,
      closed: sources.flatMap(({ what, state }) => (state === 'closed' ? [what] : [])),
      oldestAt: times.length === 0 ? null : least(times),
    },
    items,
  }
}

/** A change of one line. */
export type NowChange = { what: 'new' | 'changed' | 'gone'; item: NowItem }

/**
 * Returns differences from the last lines. A line that only reports progress has not changed.
 * @param marks what is worth reporting again in each line, by its key
 */
export function changesOf(
  before: { summary: NowSummary; marks: ReadonlyMap<string, string> } | undefined,
  after: { summary: NowSummary; marks: ReadonlyMap<string, string> },
): NowChange[] {
  const changed = after.summary.items.flatMap((item): NowChange[] => {
    const mark = before?.marks.get(item.key)
    if (mark === undefined) return [{ what: 'new', item }]
    return mark === after.marks.get(item.key) ? [] : [{ what: 'changed', item }]
  })
  const gone = before?.summary.items.filter(({ key }) => !after.marks.has(key)) ?? []
  return [...changed, ...gone.map((item): NowChange => ({ what: 'gone', item }))]
}
