import { least } from '../../lib/extremes.ts'
import { localMoment } from '../../lib/times.ts'
import { describeError, type ErrorText } from '../../api/client/errors/error-text.ts'
import { FINDING_SOURCES, type FindingSource } from '../findings/finding.ts'
import { gateHelp } from '../findings/gate.ts'
import { nextCursorOf } from '../../api/contract/shapes.ts'
import type { NowProject } from './line.ts'
import { NOW_READS, type NowReadKind } from './plan.ts'
import { formatAgo, formatAgoAtMost, plural } from '../../lib/format.ts'

/** Maximum number of names in a sentence. */
const MOST_NAMES = 3

/** One of the sources of Now, and the result of its read. */
export type NowSource = {
  kind: NowReadKind | 'writes'
  project: NowProject | undefined
  /** The suite, run or scenario it belongs to. */
  of: string | undefined
  /** `closed` means switched off for the organization, and not read. */
  state: 'read' | 'reading' | 'error' | 'closed'
  /** When it last answered, in epoch milliseconds. */
  at: number | undefined
  problem: ErrorText | undefined
  /** Whether there is more than was read. */
  partial: boolean
  /** Why the data does not show that all is well, although nothing in it is known to be wrong. */
  unproven?: string | undefined
  /** Whether another read showed since that this has changed. */
  isOutdated?: boolean
  /** Whether nothing of it is read because there are too many. */
  isLeft?: boolean
}

/**
 * Whether everything was read since then (epoch milliseconds) or could not be read: differences from the answers of an
 * earlier session are not news.
 */
export function isReadSince(sources: readonly NowSource[], since: number): boolean {
  return sources.every(
    ({ state, at, isLeft }) => isLeft || (state === 'read' ? (at ?? 0) >= since : state !== 'reading'),
  )
}

/**
 * The source for one read.
 * @param partial whether something is missing that Now would show
 */
export function sourceOf(
  kind: NowSource['kind'],
  answer: { data: unknown; error: Error | null; at: number | undefined } | undefined,
  project: NowProject | undefined,
  of?: string,
  partial = hasMore(answer?.data),
): NowSource {
  const error = answer?.error ?? undefined
  const state = error ? 'error' : answer?.data === undefined ? 'reading' : 'read'
  return { kind, project, of, state, at: answer?.at, problem: error && describeError(error), partial }
}

/** Whether a list continues after the page that was read. */
export function hasMore(data: unknown): boolean {
  return nextCursorOf(Object(data) as { nextCursor?: string }) !== undefined
}

/** The source for things that are too many to read: `runs of 12 further suites`; none if there are none. */
export function leftSource(kind: NowReadKind, left: number, noun: string): NowSource[] {
  if (left === 0) return []
  const of = plural(left, `further ${noun}`)
  return [
    { kind, project: undefined, of, state: 'read', at: undefined, problem: undefined, partial: true, isLeft: true },
  ]
}

export function whatOf({ kind }: NowSource): string {
  return kind === 'writes' ? 'writes noted on this machine' : NOW_READS[kind].what
}

/** Names a source, such as `runs of nightly in Sandbox`. */
export function sourceName(source: NowSource): string {
  const of = source.of === undefined ? '' : ` of ${source.of}`
  return `${whatOf(source)}${of}${source.project ? ` in ${source.project.name}` : ''}`
}

/** How ages are given; while nobody is there, so that later reads change nothing on screen. */
export function agoFor(isAway = false): typeof formatAgo {
  return isAway ? formatAgoAtMost : formatAgo
}

/** Older answers no longer count: an earlier session left them, or the read has failed since. */
const STALE_MS = 60 * 60_000

/** Time of the oldest answer that lines are made of, in epoch milliseconds. */
function oldestOf(sources: readonly NowSource[]): number | undefined {
  const told = sources.filter(({ kind }) => kind !== 'rights' && kind !== 'projects')
  const times = told.flatMap(({ at }) => at ?? [])
  return times.length === 0 ? undefined : least(times)
}

/** If the oldest answer came just now, all of them did. */
function answeredWords(oldest: string): string {
  return oldest === formatAgo(0, 0) ? `read ${oldest}` : `oldest answer ${oldest}`
}

/** The coverage in one line: first failed reads, then partial ones, then what is switched off. */
export function coverageLabel(
  sources: readonly NowSource[],
  projects: string,
  now: number,
  isAway = false,
): { tone: 'muted' | 'warn'; text: string } {
  const failed = sources.filter(({ state }) => state === 'error')
  const closed = sources.filter(({ state }) => state === 'closed')
  const oldest = oldestOf(sources)
  const parts = [
    projects,
    oldest !== undefined && answeredWords(agoFor(isAway)(oldest, now)),
    readingWords(sources),
    closed.length > 0 && closedWords(closed),
  ]
  const [first] = failed
  const cut = sources.filter(({ partial }) => partial)
  const unproven = sources.filter(isUnproven)
  const missing = [
    first && `Not read: ${someOf(failed)} (${first.problem?.title ?? 'unknown'})`,
    cut.length > 0 && `Not all of: ${someOf(cut)}`,
    unproven.length > 0 && unprovenWords(unproven),
  ].filter(part => typeof part === 'string')
  const rest = parts.filter(part => typeof part === 'string').join(', ')
  return { tone: missing.length > 0 ? 'warn' : 'muted', text: [...missing, rest].join('; ') }
}

/** `reading suites 12/51, 3 kinds more`: what remains of the first kind, short enough for a small terminal. */
function readingWords(sources: readonly NowSource[]): string | undefined {
  const kinds = [...Map.groupBy(sources, whatOf)]
    .map(([what, of]) => ({ what, of: of.length, left: of.filter(({ state }) => state === 'reading').length }))
    .filter(({ left }) => left > 0)
  const [first] = kinds
  if (!first) return undefined
  const count = first.of > 1 ? ` ${first.of - first.left}/${first.of}` : ''
  const more = kinds.length > 1 ? `, ${plural(kinds.length - 1, 'kind')} more` : ''
  return `reading ${first.what}${count}${more}`
}

/** The first source by name, and the number of others. */
function someOf(sources: readonly NowSource[]): string {
  const [first] = sources
  if (!first) return ''
  return `${sourceName(first)}${sources.length > 1 ? ` and ${sources.length - 1} more` : ''}`
}

export function isUnproven({ unproven }: NowSource): boolean {
  return unproven !== undefined
}

/** The first source with its reason, and the number of others. */
function unprovenWords([first, ...more]: readonly NowSource[]): string {
  const rest = more.length > 0 ? ` and ${more.length} more` : ''
  return first ? `Not known to have passed: ${sourceName(first)} (${first.unproven})${rest}` : ''
}

/** `swarm findings off in Sandbox`; `findings` if both kinds are off. */
export function closedWords(closed: readonly NowSource[]): string {
  const all = [...new Set(closed.map(whatOf))]
  const kinds = all.length > 1 ? 'findings' : all.join('')
  const projects = [...new Set(closed.map(({ project }) => project?.name ?? ''))]
  return `${kinds} off in ${projects.length > 2 ? plural(projects.length, 'project') : projects.join(' and ')}`
}

export function closedKinds(closed: readonly NowSource[]): FindingSource[] {
  return FINDING_SOURCES.filter(source => closed.some(({ kind }) => kind === source))
}

/** Why nothing is listed: all clear, with what was read, or that not everything could be read. */
export function clearState(
  sources: readonly NowSource[],
  { projects, isLocal, isAway }: { projects: string; isLocal: boolean; isAway?: boolean },
  now: number,
): { why: string; next: string } {
  const closed = sources.filter(({ state }) => state === 'closed')
  const missing = sources.filter(({ state }) => state === 'error' || state === 'reading')
  const oldest = oldestOf(sources) ?? now
  const at = localMoment(oldest, now)
  if (missing.length > 0)
    return { why: `Nothing found up to ${at}, but not everything was read.`, next: `Missing: ${namesOf(missing)}.` }
  const cut = sources.filter(({ partial }) => partial)
  if (cut.length > 0)
    return {
      why: `Nothing found up to ${at}, but not everything was read.`,
      next: `Read only in part: ${namesOf(cut)}.`,
    }
  const unproven = sources.filter(isUnproven)
  if (unproven.length > 0)
    return { why: `Nothing failed up to ${at}, but not everything is known.`, next: `${unprovenWords(unproven)}.` }
  if (oldest < now - STALE_MS)
    return { why: `Nothing found at ${at}, which is long ago.`, next: 'Everything is being read again.' }
  const others = 'open scenarios, servers examined from here, and requests'
  // What is switched off was not read, so it is not called clear.
  if (closed.length > 0)
    return {
      why: `Nothing at ${at}, but not everything can be read: ${closedWords(closed)}.`,
      next: `${gateHelp(isLocal, closedKinds(closed))} Checked in ${projects}: last runs, ${others}.`,
    }
  return {
    why: `All clear ${isAway ? agoFor(isAway)(oldest, now) : `at ${at}`}.`,
    next: `Checked in ${projects}: last runs, waves of the last day, findings, ${others}.`,
  }
}

function namesOf(sources: readonly NowSource[]): string {
  const more = sources.length - MOST_NAMES
  return `${sources.slice(0, MOST_NAMES).map(sourceName).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
