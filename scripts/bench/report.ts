import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus } from 'node:os'
import type { LiveSample } from './live.ts'
import type { OneShotSample } from './one-shot.ts'
import { median, quantile } from './statistics.ts'
import type { Stretch } from './measure.ts'
import { idleMilliseconds, type Sample } from './target.ts'

/** The samples of a run: `bare` is the time of `node -e 0` in milliseconds, one per round. */
export type Run = {
  bare: readonly number[]
  targets: ReadonlyMap<string, readonly Sample[]>
  live: ReadonlyMap<string, readonly LiveSample[]>
  oneShots: readonly OneShotSample[]
  notes: readonly string[]
}

const columns: readonly (readonly [title: string, cell: (samples: readonly Sample[], unit: number) => string])[] = [
  [
    'first paint',
    (samples, unit) =>
      startTime(
        samples.map(each => each.firstPaint),
        unit,
      ),
  ],
  [
    'live',
    (samples, unit) =>
      startTime(
        samples.map(each => each.live),
        unit,
      ),
  ],
  [
    'all rows there',
    (samples, unit) =>
      startTime(
        samples.map(each => each.loaded),
        unit,
      ),
  ],
  ['key p50 / p95 ms', samples => latency(samples)],
  ['bytes a key / a page', samples => `${bytesOf(samples, 'keys')} / ${bytesOf(samples, 'pages')}`],
  ['200 keys at once', samples => burst(samples)],
  ['held key: shown in time, core', samples => held(samples)],
  ['idle: bytes/s, core', samples => stretch(samples.map(each => each.idle))],
  ['memory', samples => `${number(median(samples.map(each => each.memory)))} MB`],
  ['exit', samples => `${number(median(samples.map(each => each.exit)))} ms`],
]

/** Returns the run as a Markdown table, a line for each measurement, and the notes. */
export function markdown({ bare, targets, live, notes }: Run): string {
  const unit = median(bare)
  const rows = [...targets].map(([name, samples]) => [name, ...columns.map(([, cell]) => cell(samples, unit))])
  const head = ['', ...columns.map(([title]) => title)]
  const lines = table(head, rows)
  const about =
    `\`node -e 0\` took ${number(unit)} ms = 1×; medians of ${bare.length} interleaved rounds, 120×40, ` +
    `${machine()}.`
  return [about, '', lines, '', ...liveTable(live), ...notes].join('\n').trimEnd()
}

/** Describes the machine of the measurement. */
export function machine(): string {
  return `${cpus().length} × ${cpus()[0]?.model ?? arch()}, Node ${process.versions.node}`
}

/** Returns rows of cells as a Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map(cells => `| ${cells.join(' | ')} |`).join('\n')
}

function liveTable(live: Run['live']): string[] {
  if (live.size === 0) return []
  const head = [
    '',
    'just launched: bytes/s, core',
    'waiting for its server: bytes/s, core',
    'executing 1,000 cases × 10: key p50 / p95 ms',
    'memory: first, most',
  ]
  const rows = [...live].map(([name, samples]) => {
    const stretches = (['launching', 'waiting'] as const).map(part => stretch(samples.map(each => each[part])))
    const keys = samples.flatMap(each => each.executing)
    const [first, most] = (['first', 'most'] as const).map(at => number(median(samples.map(each => each.memory[at]))))
    return [name, ...stretches, pair(keys), `${first}, ${most} MB`]
  })
  return [table(head, rows), '']
}

type BenchPart = 'service' | 'idle' | 'workbench' | 'organization' | 'scale' | 'budget' | 'heat'

/** Writes the table between the markers of a document that have this name. */
export async function writeInto(
  file: string,
  table: string,
  name: 'bench' | 'package' | 'npm-servers' | `bench:${BenchPart}`,
): Promise<void> {
  const [begin, end] = [`<!-- ${name}:begin -->`, `<!-- ${name}:end -->`]
  const text = await readFile(file, 'utf8')
  const [from, to] = [text.indexOf(begin), text.indexOf(end)]
  if (from < 0 || to < from) throw new Error(`${file} has no ${begin} … ${end}`)
  await writeFile(file, `${text.slice(0, from)}${begin}\n\n${table}\n\n${text.slice(to)}`)
}

function startTime(times: readonly number[], unit: number): string {
  const time = median(times)
  if (Number.isNaN(time)) return '–'
  return `${number(time / unit)}× (${number(time)} ms)`
}

function latency(samples: readonly Sample[]): string {
  const pressed = samples.flatMap(each => each.keys.map(key => key.first))
  const shown = pressed.filter(time => !Number.isNaN(time))
  const lost = pressed.length - shown.length
  return `${pair(shown)}${lost > 0 ? ` (${lost} without effect)` : ''}`
}

function pair(times: readonly number[]): string {
  return `${number(median(times))} / ${number(quantile(times, 0.95))}`
}

function bytesOf(samples: readonly Sample[], kind: 'keys' | 'pages'): string {
  return median(samples.flatMap(each => each[kind].map(response => response.bytes))).toLocaleString('en')
}

function burst(samples: readonly Sample[]): string {
  const bytes = median(samples.map(each => each.burst.bytes))
  const wrong = samples.some(each => each.burstRight === false) ? ', last state wrong' : ''
  return `${number(median(samples.map(each => each.burst.last)))} ms, ${bytes.toLocaleString('en')} bytes${wrong}`
}

function held(samples: readonly Sample[]): string {
  const [first] = samples
  const answered = median(samples.map(each => each.held.answered))
  return `${answered} of ${first?.held.pressed}, ${percent(median(samples.map(each => each.held.core)))}`
}

function stretch(stretches: readonly Stretch[]): string {
  const bytes = median(stretches.map(each => each.bytes)) / (idleMilliseconds / 1000)
  return `${number(bytes)}, ${percent(median(stretches.map(each => each.core)))}`
}

export function number(value: number): string {
  return Number.isNaN(value) ? '–' : value.toFixed(value < 10 ? 1 : 0)
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(share < 0.01 ? 2 : 1)}%`
}
