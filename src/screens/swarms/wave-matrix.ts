import type { JourneyRun } from '../../api/contract/journey-runs.ts'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import { heading } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { waveStates, type RunInWave } from '../../domain/swarms/waves.ts'
import { formatCount, plural, UNKNOWN } from '../../tui/theme/format.ts'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'

const LONGEST_PERSONA = 20
const COLUMN = 16

type Read = { data: JourneyRun | undefined } | undefined

/**
 * Personas by journeys of a wave: in each cell the most telling state of its runs, and how many of their sessions
 * succeeded. Nothing for a wave of one run.
 * @param reads what was read of each run, in the same order
 */
export function matrixLines(
  runs: readonly RunInWave[],
  reads: readonly Read[],
  { symbols, width }: { symbols: Symbols; width: number },
): Line[] {
  if (runs.length < 2) return []
  const all = runs.map((run, index) => {
    const data = reads[index]?.data
    return { run, data, journey: clean(run.name), persona: clean(data?.persona?.name ?? UNKNOWN) }
  })
  const personas = [...new Set(all.map(({ persona }) => persona))]
  const journeys = [...new Set(all.map(({ journey }) => journey))]
  const label = Math.min(LONGEST_PERSONA, Math.max(...personas.map(widthOf)))
  const shown = journeys.slice(0, Math.max(1, Math.floor((width - label - 5) / COLUMN)))
  const cell = (persona: string, journey: string): { text: string; tone: Tone } => {
    const of = all.filter(each => each.persona === persona && each.journey === journey)
    const [worst] = waveStates({ runs: of.map(({ run }) => run) })
    if (!worst) return { text: fit(symbols.heat.absent, COLUMN), tone: 'muted' }
    const look = outcomeLook(worst[0])
    const sum = (amountOf: (data: JourneyRun | undefined) => number | null | undefined): number | undefined =>
      of.reduce<number | undefined>((all, { data }) => {
        const amount = amountOf(data)
        return all === undefined || amount == null ? undefined : all + amount
      }, 0)
    const [succeeded, total] = [sum(data => data?.summary?.succeeded), sum(data => data?.summary?.total)]
    const text = `${symbols[look.symbol]} ${formatCount(succeeded)}/${formatCount(total)}`
    return { text: `${fit(text, COLUMN - 1)} `, tone: look.tone }
  }
  const head = shown.map(journey => `${fit(journey, COLUMN - 1)} `).join('')
  const left = journeys.length - shown.length
  return [
    heading('Sessions that succeeded, personas by journeys'),
    { parts: [{ text: `  ${' '.repeat(label)} ${head}`, tone: 'muted' }] },
    ...personas.map((persona): Line => ({
      parts: [{ text: `  ${fit(persona, label)} `, tone: 'plain' }, ...shown.map(journey => cell(persona, journey))],
    })),
    ...(left > 0 ? [{ text: `${plural(left, 'journey')} more below.`, tone: 'muted' as const, indent: 2 }] : []),
    '',
  ]
}
