import type { ApiError } from '../../api/api-error.ts'
import { describeError, type ErrorText } from '../../api/error-text.ts'
import type { NowProject } from '../../api/now/line.ts'
import { NOW_READS, type NowReadKind } from '../../api/now/plan.ts'
import { formatAge, formatDuration, plural } from '../../app/theme/format.ts'
import type { Symbols } from '../../app/theme/theme.ts'
import { heading } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'

/** One of the things that Now looks at, and what came of it. */
export type NowSource = {
  kind: NowReadKind | 'writes'
  project: NowProject | undefined
  /** Of which suite, run or scenario. */
  of: string | undefined
  /** `closed`: switched off for the organization, and not read. */
  state: 'read' | 'reading' | 'error' | 'closed'
  /** When it last answered, epoch milliseconds. */
  at: number | undefined
  problem: ErrorText | undefined
  /** There is more of it than was read. */
  partial?: boolean
}

type Answer = { data: unknown; error: ApiError | null; at: number | undefined }

/** What came of one read, as it is told. */
export function sourceOf(
  kind: NowReadKind,
  answer: Answer | undefined,
  project: NowProject | undefined,
  of?: string,
): NowSource {
  const error = answer?.error ?? undefined
  const state = error ? 'error' : answer?.data === undefined ? 'reading' : 'read'
  return { kind, project, of, state, at: answer?.at, problem: error && describeError(error) }
}

function whatOf({ kind }: NowSource): string {
  return kind === 'writes' ? 'writes noted on this machine' : NOW_READS[kind].what
}

/** Such as `runs of the last day of nightly in Sandbox`. */
export function sourceName(source: NowSource): string {
  const of = source.of === undefined ? '' : ` of ${source.of}`
  return `${whatOf(source)}${of}${source.project ? ` in ${source.project.name}` : ''}`
}

/** What was looked at, in one line: first what failed, then what is switched off. */
export function coverageWords(
  sources: readonly NowSource[],
  projects: number,
  now: number,
): { tone: 'muted' | 'warn'; text: string } {
  const failed = sources.filter(({ state }) => state === 'error')
  const reading = sources.filter(({ state }) => state === 'reading').length
  const closed = sources.filter(({ state }) => state === 'closed')
  const told = sources.filter(({ kind }) => kind !== 'rights' && kind !== 'projects')
  const oldest = Math.min(...told.flatMap(({ at }) => at ?? []))
  const parts = [
    plural(projects, 'project'),
    Number.isFinite(oldest) && `oldest answer ${ageWords(oldest, now)}`,
    reading > 0 && `${reading} being read`,
    sources.some(({ partial }) => partial) && 'only the first page of some findings',
    closed.length > 0 && closedWords(closed),
  ]
  const [first] = failed
  const rest = parts.filter(part => typeof part === 'string').join(', ')
  if (!first) return { tone: 'muted', text: rest }
  const more = failed.length > 1 ? ` and ${failed.length - 1} more` : ''
  return {
    tone: 'warn',
    text: `Not read: ${sourceName(first)}${more} (${first.problem?.title ?? 'unknown'}); ${rest}`,
  }
}

function ageWords(at: number, now: number): string {
  const age = formatAge(at, now)
  return age === 'now' ? 'just now' : `${age} ago`
}

/** `swarm and scenario findings off in Sandbox`. */
function closedWords(closed: readonly NowSource[]): string {
  const kinds = [...new Set(closed.map(whatOf))].join(' and ')
  const projects = [...new Set(closed.map(({ project }) => project?.name ?? ''))]
  return `${kinds} off in ${projects.length > 2 ? plural(projects.length, 'project') : projects.join(' and ')}`
}

/** Why nothing is listed: all clear with what was looked at, or that not everything could be. */
export function clearWords(
  sources: readonly NowSource[],
  projects: number,
  now: number,
): { why: string; next: string } {
  const missing = sources.filter(({ state }) => state === 'error' || state === 'reading')
  const time = new Date(now)
  const at = [time.getHours(), time.getMinutes()].map(part => String(part).padStart(2, '0')).join(':')
  if (missing.length > 0)
    return {
      why: `Nothing was found up to ${at}, but not everything has been looked at.`,
      next: `Missing: ${missing.slice(0, 3).map(sourceName).join(', ')}${missing.length > 3 ? ` and ${missing.length - 3} more` : ''}.`,
    }
  return {
    why: `All clear at ${at}.`,
    next: `Looked at in ${plural(projects, 'project')}: runs of the last day, findings, open scenarios, servers examined from here, and requests.`,
  }
}

/** Every source with its age, its error and how often it is read. */
export function sourceLines(
  sources: readonly NowSource[],
  pauses: Readonly<Record<NowReadKind, number>>,
  options: { symbols: Symbols; now: number },
): Line[] {
  const { symbols, now } = options
  const marks = {
    read: symbols.ok,
    reading: symbols.pending,
    error: symbols.error,
    closed: symbols.cancelled,
  }
  const tones = { read: 'plain', reading: 'muted', error: 'error', closed: 'muted' } as const
  return [
    heading('Looked at'),
    ...sources.flatMap((source): Line[] => {
      const { state, kind, at, problem } = source
      const every = kind === 'writes' ? '' : `, every ${formatDuration(pauses[kind])}`
      const words =
        state === 'closed'
          ? 'off for this organization, not read'
          : state === 'reading'
            ? 'being read'
            : `${at === undefined ? 'never read' : ageWords(at, now)}${every}`
      return [
        { text: `${marks[state]} ${sourceName(source)}: ${words}`, tone: tones[state] },
        ...(problem ? [{ text: `${problem.title}: ${problem.sentence} ${problem.next}`, indent: 2 }] : []),
      ]
    }),
  ]
}
