import { greatest } from '../../lib/extremes.ts'
import type { JourneyRun } from '../../api/contract/journey-runs.ts'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import { heading } from '../../components/lines.ts'
import type { Line, PointedText } from '../../components/viewer.tsx'
import { ungradedOf } from '../../domain/findings/waves.ts'
import { waveStates, type RunInWave } from '../../domain/swarms/waves.ts'
import { formatCount, plural, UNKNOWN } from '../../lib/format.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'

const LONGEST_PERSONA = 20
/** Minimum columns of a journey's column for its name; it is no wider than the longest name. */
const LEAST_COLUMN = 12
/** Lines above the first persona. */
const HEAD_LINES = 2

type Read = { data: JourneyRun | undefined } | undefined

/**
 * Returns a table of a wave with personas as rows and journeys as columns. Each cell has the most important state of
 * its runs, and how many of their sessions met goal and criteria; if some are not graded, how many succeeded. Nothing
 * for a wave of one run.
 * @param reads the data of each run, in the same order
 * @param look.pointed the cell under the mouse, which the line below describes
 */
export function matrixLines(
  runs: readonly RunInWave[],
  reads: readonly Read[],
  { symbols, width, pointed }: { symbols: Symbols; width: number; pointed?: PointedText | undefined },
): Line[] {
  if (runs.length < 2) return []
  const all = runs.map((run, index) => {
    const data = reads[index]?.data
    return { run, data, journey: clean(run.name), persona: clean(data?.persona?.name ?? UNKNOWN) }
  })
  const isGraded = all.every(({ data }) => data?.failCount != null && ungradedOf(data) === 0)
  const does = isGraded ? 'met goal and criteria' : 'succeeded'
  const byPersona = Map.groupBy(all, ({ persona }) => persona)
  const personas = [...byPersona.keys()]
  const journeys = [...new Set(all.map(({ journey }) => journey))]
  const label = Math.min(LONGEST_PERSONA, greatest(personas.map(widthOf)))
  const room = width - label - 5
  const shown = journeys.slice(0, Math.max(1, Math.floor(room / LEAST_COLUMN)))
  const widest = Math.max(...shown.map(widthOf)) + 1
  const column = Math.max(LEAST_COLUMN, Math.min(widest, Math.floor(room / shown.length)))
  const cell = (persona: string, journey: string): { text: string; tone: Tone; words: string } => {
    const of = (byPersona.get(persona) ?? []).filter(each => each.journey === journey)
    const states = waveStates({ runs: of.map(({ run }) => run) }).map(([state, count]) => ({
      look: outcomeLook(state),
      count,
    }))
    const [worst] = states
    const name = `${persona}, ${journey}`
    if (!worst) return { text: fit(symbols.heat.absent, column), tone: 'muted', words: `not run: ${name}` }
    const sum = (amountOf: (data: JourneyRun | undefined) => number | null | undefined): number | undefined =>
      of.reduce<number | undefined>((all, { data }) => {
        const amount = amountOf(data)
        return all === undefined || amount == null ? undefined : all + amount
      }, 0)
    const well = (data: JourneyRun | undefined) =>
      isGraded ? (data?.sessionsGraded ?? 0) - (data?.failCount ?? 0) : data?.summary?.succeeded
    const [succeeded, total] = [sum(well), sum(data => data?.summary?.total)]
    const text = `${symbols[worst.look.symbol]} ${formatCount(succeeded)}/${formatCount(total)}`
    const words = [
      ...states.map(({ look, count }) => `${plural(count, 'run')} ${look.word}`),
      `${formatCount(succeeded)} of ${formatCount(total)} sessions ${does}`,
    ]
    return { text: `${fit(text, column - 1)} `, tone: worst.look.tone, words: `${words.join(', ')}: ${name}` }
  }
  const at = pointed && {
    persona: personas[pointed.line - HEAD_LINES],
    journey: shown[Math.floor((pointed.column - label - 3) / column)],
  }
  const words = at?.persona !== undefined && at.journey !== undefined ? cell(at.persona, at.journey).words : ''
  const head = shown.map(journey => `${fit(journey, column - 1)} `).join('')
  const left = journeys.length - shown.length
  return [
    heading(`Sessions that ${does}, personas by journeys`),
    { parts: [{ text: `  ${' '.repeat(label)} ${head}`, tone: 'muted' }] },
    ...personas.map((persona): Line => ({
      parts: [{ text: `  ${fit(persona, label)} `, tone: 'plain' }, ...shown.map(journey => cell(persona, journey))],
    })),
    ...(left > 0 ? [{ text: `${plural(left, 'journey')} more below.`, tone: 'muted' as const, indent: 2 }] : []),
    words === '' ? '' : { text: truncate(words, width - 4), indent: 2 },
  ]
}
