import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MOST_PROBLEMS } from '../../src/lib/yaml/yaml-reading.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { randomNumbers, type Random } from '../random-numbers.ts'
import { Findings, type Part } from './part.ts'
import { runToEnd } from './process.ts'
import { hostileText } from './values.ts'

/** Number of lines of a text; comparing each line with each other would take many seconds. */
const COUNT = 20_000
/** Maximum processor time, as a multiple of that for as many lines without a fault, plus some milliseconds. */
const [MOST_TIMES, SPARE_MS] = [4, 3_000]

type Line = (at: number) => string

const text = (value: string): string => JSON.stringify(value.slice(0, 40))

/** Lines that each have a fault, or none. */
const LINES: Readonly<Record<string, (random: Random) => Line>> = {
  'unknown settings': () => at => `  k${at}: 1\n`,
  'the same name': () => () => '  name: x\n',
  'two colons': () => () => '  a: b: c\n',
  tabs: () => () => '\t- x\n',
  tags: () => at => `  t${at}: !x ${at}\n`,
  'aliases of one anchor': () => at => (at === 0 ? '  a: &a [1, 2]\n' : `  b${at}: *a\n`),
  'anchors and aliases': () => at => `  c${at}: [&d${at} x, *d${at}]\n`,
  'aliases of nothing': () => at => `  e${at}: *none\n`,
  'merged aliases': () => at => (at === 0 ? '  f: &f {g: 1}\n' : `  h${at}: {<<: *f}\n`),
  documents: () => at => `---\nserver: {name: n${at}}\n`,
  'cases without a step': () => at => `cases: [{title: t${at}}]\n`,
  'open brackets': () => at => `  i${at}: [${'['.repeat(at % 30)}\n`,
  'numbers that JSON cannot hold': () => at => `  j${at}: 1e999\n`,
  comments: () => at => `# ${at}\n`,
  'hostile texts': random => at => `  l${at}: ${text(hostileText(random))}\n`,
  'hostile names': random => at => `  ${text(`${hostileText(random)}${at}`)}: ${at}\n`,
}

const HEADS = ['', 'suite:\n  name: Fuzzed\n', 'server:\n  name: s\n', 'cases:\n', 'persona:\n  name: p\n'] as const

const textOf = (head: string, lines: readonly Line[], count: number): string =>
  head + Array.from({ length: count }, (_, at) => lines[at % lines.length]!(at)).join('')

/** Files of suites and projects with thousands of faults. */
export const texts: Part = {
  name: 'texts',
  says: 'YAML with thousands of faults, aliases and unknown fields',
  async round({ stage, seed, limits }) {
    const findings = new Findings('texts', seed)
    const random = randomNumbers(seed)
    const [home, folder] = [createHome(), mkdtempSync(join(tmpdir(), 'mcpdeck-fuzz-'))]
    try {
      const names = Array.from({ length: random.pick([1, 1, 2, 3]) }, () => random.pick(Object.keys(LINES)))
      const head = random.pick(HEADS)
      const words = random.pick([
        ['suite', 'import'],
        ['apply', '--file'],
      ])
      const read = async (kinds: readonly string[]) => {
        const file = join(folder, 'text.yaml')
        const lines = kinds.map(name => LINES[name]!(random))
        writeFileSync(file, textOf(head, lines, COUNT))
        return await runToEnd({
          words: [...words, file, '--dry-run'],
          env: { MCPDECK_BASE_URL: stage.baseUrl, MCPDECK_API_KEY: stage.key },
          home,
          folder,
          limits,
          findings,
          mutations: [`${kinds.join(', ')}, behind ${JSON.stringify(head)}`],
        })
      }
      const plain = await read(['comments'])
      const { code, written, used, report } = await read(names)
      if (code === EXIT.failedVerdict) report('ended with 1 without a verdict')
      const faults = written.match(/\.yaml:\d+:\d+: /g)?.length ?? 0
      if (faults > MOST_PROBLEMS) report(`told ${faults} faults`)
      if (used > MOST_TIMES * plain.used + SPARE_MS)
        report(
          `took ${Math.round(used)} ms of the processor, and ${Math.round(plain.used)} ms for as many lines in order`,
        )
    } finally {
      removeHome(home)
      rmSync(folder, { recursive: true, force: true })
    }
    return findings.problems
  },
}
