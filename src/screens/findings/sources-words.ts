import { formatAge, plural, UNKNOWN } from '../../app/theme/format.ts'
import type { Symbols, Tone } from '../../app/theme/theme.ts'
import { fieldLines, heading, problemLines } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import type { Sources, SourceState } from './use-sources.ts'

/** What the gate's refusals mean, in one sentence that helps. */
export const GATE_SENTENCE =
  'Waiting will not help: an administrator of the organization has to switch the feature on; the return is noticed here by itself.'

/** What is left to do while the gate is closed (limits-and-errors, section 7). */
export const OUTSIDE_GATE =
  'Outside the gate stay eval runs, servers, cancelling a journey run, unpublishing a scenario, and deleting personas, journeys and swarms.'

/** What the list must say above its rows: a source that failed, is closed, or is still being read. */
export function sourcesLine({ states }: Sources): { text: string; tone: Tone } | undefined {
  const failed = states.filter(({ problem }) => problem !== undefined)
  const closed = states.filter(({ isClosed }) => isClosed)
  const reading = states.filter(
    state => !state.problem && !state.isClosed && (state.count === undefined || state.hasMore),
  )
  const words = [
    failed.length > 0 && `${failed.length} of ${plural(states.length, 'source')} failed: ${nameAll(failed)}`,
    closed.length > 0 && closed.length < states.length && `switched off: ${nameAll(closed)}`,
    reading.length > 0 && readingWords(states, reading),
  ].filter(Boolean)
  if (words.length === 0) return undefined
  return { text: words.join('; '), tone: failed.length > 0 ? 'warn' : 'muted' }
}

function nameAll(states: readonly SourceState[]): string {
  return states.map(({ name, problem }) => (problem ? `${name} (${problem.title})` : name)).join(', ')
}

function readingWords(states: readonly SourceState[], reading: readonly SourceState[]): string {
  const count = states.reduce((sum, state) => sum + (state.count ?? 0), 0)
  return `reading ${states.length - reading.length + 1} of ${plural(states.length, 'source')}, ${plural(count, 'finding')} so far…`
}

/** Every source with how it stands. */
export function sourceLines(states: readonly SourceState[], symbols: Symbols): Line[] {
  return states.flatMap((state): Line[] => [
    heading(state.kind === 'swarm' ? state.name : `Scenario: ${state.name}`),
    ...fieldLines([
      ['State', ...stateWords(state, symbols)],
      [
        'Findings',
        state.count === undefined ? UNKNOWN : `${state.count}${state.hasMore ? ', more to come' : ''}`,
      ],
      ['Read', state.updatedAt === undefined ? UNKNOWN : ageWords(state.updatedAt)],
    ]),
    ...(state.problem ? problemLines(symbols, state.problem) : []),
    ...(state.isClosed ? [{ text: GATE_SENTENCE, tone: 'muted' as const, indent: 2 }] : []),
    '',
  ])
}

function ageWords(at: number): string {
  const age = formatAge(at, Date.now())
  return age === 'now' ? 'just now' : `${age} ago`
}

function stateWords(state: SourceState, symbols: Symbols): [string, Tone] {
  if (state.isClosed) return [`${symbols.cancelled} switched off for the organization`, 'warn']
  if (state.problem) return [`${symbols.error} failed`, 'error']
  if (state.count === undefined || state.hasMore) return [`${symbols.live} being read`, 'live']
  return [`${symbols.ok} read`, 'ok']
}
