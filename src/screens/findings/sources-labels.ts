import { FINDING_SOURCES, type FindingSource } from '../../domain/findings/finding.ts'
import { gateHelp } from '../../domain/findings/gate.ts'
import { formatAgo, plural, UNKNOWN } from '../../lib/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import { cutLabel } from '../../components/list/read-on.tsx'
import { fieldLines, heading, problemLines } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import type { Sources, SourceState } from './use-sources.ts'

/** What remains possible while the gate is closed (limits-and-errors, section 7). */
export const OUTSIDE_GATE =
  'Not affected are eval runs, servers, cancelling a journey run, unpublishing a scenario, and deleting ' +
  'personas, journeys and swarms.'

type Said = { text: string; tone: Tone; symbol: keyof Pick<Symbols, 'warn' | 'cancelled' | 'live'> }

/** Returns what the list must say above its rows: a source failed, is closed, is cut, or is still being read. */
export function sourcesLine(
  { states }: Pick<Sources, 'states'>,
  { isLocal, moreKey }: { isLocal: boolean; moreKey: string },
): Said | undefined {
  const failed = states.filter(({ problem }) => problem !== undefined)
  const closed = states.filter(({ isClosed }) => isClosed)
  const reading = states.filter(
    state => !state.problem && !state.isClosed && !state.isCut && (state.count === undefined || state.hasMore),
  )
  const cut = states.filter(({ isCut }) => isCut)
  const words = [
    failed.length > 0 && `${failed.length} of ${plural(states.length, 'source')} failed: ${nameAll(failed)}`,
    closed.length > 0 && closedWords(closed, isLocal),
    cut.length > 0 && partWords(cut, moreKey),
    reading.length > 0 && readingWords(states, reading),
  ].filter(Boolean)
  if (words.length === 0) return undefined
  const text = words.join('; ')
  if (failed.length + cut.length > 0) return { text, tone: 'warn', symbol: 'warn' }
  return closed.length > 0 ? { text, tone: 'warn', symbol: 'cancelled' } : { text, tone: 'muted', symbol: 'live' }
}

/** Returns what is switched off, whether some of its rows are left, and what to do about it. */
function closedWords(closed: readonly SourceState[], isLocal: boolean): string {
  const left = closed.some(({ count }) => count) ? ', its rows are from an earlier read' : ''
  return `switched off: ${nameAll(closed)}${left}. ${gateHelp(isLocal, kindsOf(closed))}`
}

function kindsOf(states: readonly SourceState[]): FindingSource[] {
  return FINDING_SOURCES.filter(source => states.some(({ kind }) => kind === source))
}

function nameAll(states: readonly SourceState[]): string {
  return states.map(({ name, problem }) => (problem ? `${name} (${problem.title})` : name)).join(', ')
}

/** Says which lists are longer than is read automatically. */
function partWords(cut: readonly SourceState[], moreKey: string): string {
  const count = cut.reduce((sum, state) => sum + (state.count ?? 0), 0)
  const isStuck = cut.every(state => state.isStuck)
  return cutLabel({ isStuck }, `${plural(count, 'finding')} of ${nameAll(cut)}`, moreKey)
}

function readingWords(states: readonly SourceState[], reading: readonly SourceState[]): string {
  const count = states.reduce((sum, state) => sum + (state.count ?? 0), 0)
  return (
    `reading ${states.length - reading.length + 1} of ${plural(states.length, 'source')}, ` +
    `${plural(count, 'finding')} so far…`
  )
}

/** Returns every source with its state. */
export function sourceLines(states: readonly SourceState[], symbols: Symbols, isLocal: boolean): Line[] {
  return states.flatMap((state): Line[] => [
    heading(state.kind === 'swarm' ? state.name : `Scenario: ${state.name}`),
    ...fieldLines([
      ['State', ...stateWords(state, symbols)],
      [
        'Findings',
        state.count === undefined
          ? UNKNOWN
          : `${state.count}${state.isCut ? ', there is more' : state.hasMore ? ', more to come' : ''}`,
      ],
      ['Read', state.updatedAt === undefined ? UNKNOWN : formatAgo(state.updatedAt, Date.now())],
    ]),
    ...(state.problem ? problemLines(symbols, state.problem) : []),
    ...(state.isClosed ? [{ text: gateHelp(isLocal, [state.kind]), tone: 'muted' as const, indent: 2 }] : []),
    '',
  ])
}

function stateWords(state: SourceState, symbols: Symbols): [string, Tone] {
  if (state.isClosed) return [`${symbols.cancelled} switched off for the organization`, 'warn']
  if (state.problem) return [`${symbols.error} failed`, 'error']
  if (state.isCut && state.count !== undefined) return [`${symbols.warn} read ${state.count}, there is more`, 'warn']
  if (state.count === undefined || state.hasMore) return [`${symbols.live} being read`, 'live']
  return [`${symbols.ok} read`, 'ok']
}
