import { spawnSync } from 'node:child_process'
import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createHome, minimalEnv, removeHome } from '../../test/pty/home.ts'
import { machine, table } from '../bench/report.ts'
import { median } from '../bench/statistics.ts'
import { dist } from '../paths.ts'
import { filesOf } from './executable.ts'

/** Number of starts of each in turn; their median counts. */
const rounds = 15

const commands = [['--version'], ['get', 'projects']] as const

/** Returns sizes and start times of the program on this machine, as npm installs it and as an executable. */
export function sizesAndStarts(executable: string): string {
  const home = createHome()
  const env = minimalEnv(home)
  const timed = (...[file = '', ...words]: string[]): number => {
    const begun = performance.now()
    const { status, stderr } = spawnSync(file, words, { env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`${file} ${words.join(' ')} ended with ${status}: ${stderr}`)
    return performance.now() - begun
  }
  const firstStart = (program: readonly string[]): number => {
    rmSync(join(home, '.cache'), { recursive: true, force: true })
    return timed(...program, '--version')
  }
  const unpacked = filesOf(dist).reduce((sum, file) => sum + statSync(file).size, 0)
  const node = statSync(process.execPath).size
  const forms = [
    {
      name: 'npm form',
      size: `${megabytes(unpacked)}, and Node with ${megabytes(node)}`,
      program: [process.execPath, join(dist, 'boot.js')],
    },
    {
      name: 'executable',
      size: `${megabytes(statSync(executable).size)}, unpacked ${megabytes(unpacked)}`,
      program: [executable],
    },
  ]
  try {
    const bare: number[] = []
    const first = forms.map(() => [] as number[])
    const starts = forms.map(() => commands.map(() => [] as number[]))
    for (const { program } of forms) for (const words of commands) timed(...program, ...words)
    for (let round = 0; round < rounds; round += 1) {
      bare.push(timed(process.execPath, '-e', '0'))
      forms.forEach(({ program }, form) => {
        first[form]!.push(firstStart(program))
        // Code compiled by that start is stored only at its end, so only the next start has all of it.
        commands.forEach((words, at) => {
          timed(...program, ...words)
          starts[form]![at]!.push(timed(...program, ...words))
        })
      })
    }
    const times = (samples: readonly number[]) => `${Math.round(median(samples))} ms`
    const rows = forms.map(({ name, size }, form) => [name, size, ...starts[form]!.map(times), times(first[form]!)])
    const head = ['', 'on disk', ...commands.map(words => `\`mcpdeck ${words.join(' ')}\``), 'first start of all']
    const about = `Medians of ${rounds} starts in turn, ${machine()}; \`node -e 0\` took ${times(bare)}.`
    return `${about}\n\n${table(head, rows)}`
  } finally {
    removeHome(home)
  }
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0)} MB`
}
