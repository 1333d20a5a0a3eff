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

/** One of the sources of Now, with the result of its read. */
export type NowSource = {
  kind: NowReadKind | 'writes'
  project: NowProject | undefined
  /** The suite, run or scenario that the source belongs to. */
  of: string | undefined
  /** `closed` means switched off for the organization, and not read. */
  state: 'read' | 'reading' | 'error' | 'closed'
  /** Epoch milliseconds of the last answer. */
  at: number | undefined
  problem: ErrorText | undefined
  /** Whether there is more than was read. */
  partial: boolean
  /** Why the data does not prove that all is well, although nothing in it is known to be wrong. */
  unproven?: string | undefined
  /** Whether another read has shown since that this one is outdated. */
  isOutdated?: boolean
  /** Whether the source was left out because there are too many. */
  isLeft?: boolean
}

/** Returns the state of a source. One that is known to be outdated is being read again. */
export function stateOf({ state, isOutdated }: NowSource): NowSource['state'] {
  return state === 'read' && isOutdated ? 'reading' : state
}

/**
 * Whether everything has been read since then (epoch milliseconds) or could not be read. Differences from the answers
 * of an earlier session are not news.
 */
export function isReadSince(sources: readonly NowSource[], since: number): boolean {
  return sources.every(
    ({ state, at, isLeft }) => isLeft || (state === 'read' ? (at ?? 0) >= since : state !== 'reading'),
  )
}

/**
 * Returns the source for one read.
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

/**
 * Returns the source for things that are too many to read, such as `runs of 12 further suites`; none if nothing was
 * left out.
 */
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

/** Returns the format of ages. While nobody is there, it is constant, so that later reads change nothing on screen. */
export function agoFor(isAway = false): typeof formatAgo {
  return isAway ? formatAgoAtMost : formatAgo
}

/** Milliseconds after which an answer no longer counts: it is of an earlier session, or the read has failed since. */
const STALE_MS = 60 * 60_000

/** Returns the time of the oldest answer that lines are built from, in epoch milliseconds. */
function oldestOf(sources: readonly NowSource[]): number | undefined {
  const told = sources.filter(({ kind }) => kind !== 'rights' && kind !== 'projects')
  const times = told.flatMap(({ at }) => at ?? [])
  return times.length === 0 ? undefined : least(times)
}

/** Returns words for the age of answers. If the oldest answer just came, all of them did. */
function answeredWords(oldest: string): string {
  return oldest === formatAgo(0, 0) ? `read ${oldest}` : `oldest answer ${oldest}`
}

/**
 * Returns the coverage in one line: failed, partial and unproven reads, then the projects, the age of the oldest
 * answer, reads in progress and features that are off.
 */
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

/**
 * Returns a text such as `reading suites 12/51, 3 kinds more`: what remains of the first kind, short enough for a small
 * terminal.
 */
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

/** Returns the first source by name, and the number of others. */
function someOf(sources: readonly NowSource[]): string {
  const [first] = sources
  if (!first) return ''
  return `${sourceName(first)}${sources.length > 1 ? ` and ${sources.length - 1} more` : ''}`
}

export function isUnproven({ unproven }: NowSource): boolean {
  return unproven !== undefined
}

/** Returns the first source with its reason, and the number of others. */
function unprovenWords([first, ...more]: readonly NowSource[]): string {
  const rest = more.length > 0 ? ` and ${more.length} more` : ''
  return first ? `Not known to have passed: ${sourceName(first)} (${first.unproven})${rest}` : ''
}

/** Returns `swarm findings off in Sandbox`, or `findings` if both kinds are off. */
export function closedWords(closed: readonly NowSource[]): string {
  const all = [...new Set(closed.map(whatOf))]
  const kinds = all.length > 1 ? 'findings' : all.join('')
  const projects = [...new Set(closed.map(({ project }) => project?.name ?? ''))]
  return `${kinds} off in ${projects.length > 2 ? plural(projects.length, 'project') : projects.join(' and ')}`
}

export function closedKinds(closed: readonly NowSource[]): FindingSource[] {
  return FINDING_SOURCES.filter(source => closed.some(({ kind }) => kind === source))
}

/**
 * Returns why nothing is listed: all is clear, with what was read, or not everything could be read. `hidden` names
 * lines that exist but are hidden.
 */
export function clearState(
  sources: readonly NowSource[],
  { projects, isLocal, isAway, hidden }: { projects: string; isLocal: boolean; isAway?: boolean; hidden?: string },
  now: number,
): { why: string; next: string } {
  const closed = sources.filter(({ state }) => state === 'closed')
  const missing = sources.filter(source => ['error', 'reading'].includes(stateOf(source)))
  const oldest = oldestOf(sources) ?? now
  const at = localMoment(oldest, now)
  const nothing = nothingWords(hidden)
  if (missing.length > 0)
    return { why: `${nothing} found up to ${at}, but not everything was read.`, next: `Missing: ${namesOf(missing)}.` }
  const cut = sources.filter(({ partial }) => partial)
  if (cut.length > 0)
    return {
      why: `${nothing} found up to ${at}, but not everything was read.`,
      next: `Read only in part: ${namesOf(cut)}.`,
    }
  const unproven = sources.filter(isUnproven)
  if (unproven.length > 0)
    return { why: `${nothing} failed up to ${at}, but not everything is known.`, next: `${unprovenWords(unproven)}.` }
  if (oldest < now - STALE_MS)
    return { why: `${nothing} found at ${at}, which is long ago.`, next: 'Everything is being read again.' }
  const others = 'open scenarios, servers examined from here, and requests'
  // A feature that is off was not read, so it does not count as clear.
  if (closed.length > 0)
    return {
      why: `${nothing} at ${at}, but not everything can be read: ${closedWords(closed)}.`,
      next: `${gateHelp(isLocal, closedKinds(closed))} Checked in ${projects}: last runs, ${others}.`,
    }
  return {
    why: clearWords(isAway ? agoFor(isAway)(oldest, now) : `at ${at}`, hidden),
    next: `Checked in ${projects}: last runs, waves of the last day, findings, ${others}.`,
  }
}

function nothingWords(hidden: string | undefined): string {
  return hidden === undefined
    ? 'Nothing'
    : `${hidden.charAt(0).toUpperCase()}${hidden.slice(1)} is hidden. Nothing else`
}

function clearWords(at: string, hidden: string | undefined): string {
  return hidden === undefined ? `All clear ${at}.` : `Nothing else at this moment: ${hidden} is hidden.`
}

function namesOf(sources: readonly NowSource[]): string {
  const more = sources.length - MOST_NAMES
  return `${sources.slice(0, MOST_NAMES).map(sourceName).join(', ')}${more > 0 ? ` and ${more} more` : ''}`
}
