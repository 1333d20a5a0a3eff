import { least } from '../../lib/extremes.ts'
import { heading } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { gateHelp } from '../../domain/findings/gate.ts'
import {
  agoFor,
  closedKinds,
  closedWords,
  isUnproven,
  type NowSource,
  sourceName,
  whatOf,
} from '../../domain/now/sources.ts'
import type { Symbols } from '../../tui/theme/theme.ts'

/** Maximum number of sources listed separately below a line. */
const MOST_SINGLES = 5

/** Failures come first, since nobody would find them among many sources. */
function failuresFirst(sources: readonly NowSource[]): NowSource[] {
  return sources.toSorted((a, b) => Number(b.state === 'error') - Number(a.state === 'error'))
}

/** Returns failed and partial sources by name; then how much was read of each kind, and how long ago. */
export function sourceLines(
  sources: readonly NowSource[],
  options: { symbols: Symbols; now: number; isLocal: boolean; isAway?: boolean },
): Line[] {
  const { symbols, isLocal } = options
  const ago = (then: number | undefined) => agoFor(options.isAway)(then, options.now)
  const closed = closedKinds(sources.filter(({ state }) => state === 'closed'))
  const isSingle = (source: NowSource): boolean => source.state === 'error' || source.partial || isUnproven(source)
  const single = sources.filter(isSingle)
  const kinds = Map.groupBy(
    sources.filter(source => !isSingle(source)),
    ({ kind, state }) => `${kind} ${state === 'closed'}`,
  )
  return [
    heading('Checked'),
    ...failuresFirst(single)
      .slice(0, MOST_SINGLES)
      .flatMap(source => singleLines(source, symbols, ago)),
    ...(single.length > MOST_SINGLES ? [{ text: `… and ${single.length - MOST_SINGLES} more like these` }] : []),
    ...[...kinds.values()].map(each => kindLine(each, symbols, ago)),
    ...(closed.length > 0 ? ['', { text: gateHelp(isLocal, closed), tone: 'muted' as const }] : []),
  ]
}

function singleLines(source: NowSource, symbols: Symbols, ago: (then: number | undefined) => string): Line[] {
  const { state, at, problem, unproven } = source
  if (source.isLeft)
    return [{ text: `${symbols.warn} ${sourceName(source)}: not read, there are too many`, tone: 'warn' }]
  const words = (at === undefined ? 'never read' : ago(at)) + (source.partial ? PARTIAL : '')
  const mark = state === 'error' ? symbols.error : symbols.ok
  return [
    { text: `${mark} ${sourceName(source)}: ${words}`, tone: state === 'error' ? 'error' : 'plain' },
    ...(unproven ? [{ text: `Not known to have passed: ${unproven}.`, indent: 2 }] : []),
    ...(problem ? [{ text: `${problem.title}: ${problem.sentence} ${problem.next}`, indent: 2 }] : []),
  ]
}

const PARTIAL = '; there are more than were read'

/** Returns `✓ suites: all 51 read, oldest 2 min ago`; if there is one, `✓ suites: 2 min ago`. */
function kindLine(all: readonly NowSource[], symbols: Symbols, ago: (then: number | undefined) => string): Line {
  const [first] = all as [NowSource]
  const what = all.length === 1 ? sourceName(first) : whatOf(first)
  if (first.state === 'closed')
    return {
      text: `${symbols.cancelled} ${all.length === 1 ? what : closedWords(all)}: off for this organization, not read`,
      tone: 'muted',
    }
  const read = all.filter(({ state }) => state === 'read')
  const oldest = ago(least(read.flatMap(({ at }) => at ?? [])))
  const isRead = read.length === all.length
  const count = isRead ? `all ${all.length}` : `${read.length} of ${all.length}`
  const words = read.length === 0 ? 'being read' : all.length === 1 ? oldest : `${count} read, oldest ${oldest}`
  return {
    lead: [{ text: `${isRead ? symbols.ok : symbols.pending} `, tone: isRead ? 'ok' : 'muted' }],
    rest: [{ text: '  ', tone: 'plain' }],
    spans: [
      { text: `${what}: `, tone: isRead ? 'plain' : 'muted' },
      { text: words, tone: 'muted' },
    ],
  }
}
