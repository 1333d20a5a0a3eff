import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { writeInto } from './bench/report.ts'
import { noticesFile } from './build/notices.ts'
import { ensureBuilt } from './ensure-built.ts'
import { packProgram, writeExecutable } from './package/executable.ts'
import { sizesAndStarts } from './package/figures.ts'
import { nodesOf, systems, type System } from './package/nodes.ts'
import { dist, root } from './paths.ts'

// Makes an archive for each system, their checksums and the formula that installs them, in `release`.
const { values } = parseArgs({
  options: {
    /** Only these systems; unless all are included, no formula is made. */
    only: { type: 'string', multiple: true },
    /** Base address of the archives, for the formula. */
    url: { type: 'string', default: `file://${join(root, 'release')}` },
    /** Writes size and start time on this machine to docs/performance.md. */
    write: { type: 'boolean', default: false },
  },
})
const release = join(root, 'release')
const boot = join(dist, 'boot.js')
const wanted = systems.filter(system => !values.only || values.only.includes(system))
if (`${process.platform}-${process.arch}` !== 'linux-x64')
  throw new Error('Executables are made on Linux x64: there Node packs them for the other systems too.')
if (wanted.length === 0) throw new Error(`--only takes ${systems.join(', ')}.`)

function nameOf(system: System): string {
  return `mcpdeck-${manifest.version}-${system}`
}

/** Fills the folder of a system: the program, its manual page, completions and licenses. */
async function fill(system: System): Promise<string> {
  const folder = join(release, nameOf(system))
  mkdirSync(folder, { recursive: true })
  const { node, packer } = nodesOf(system)
  const executable = join(folder, 'mcpdeck')
  const program = await packProgram(join(packer, 'bin/node'))
  await writeExecutable(executable, join(node, 'bin/node'), program, system.startsWith('darwin'))
  for (const [shell, file] of [
    ['bash', 'mcpdeck.bash'],
    ['zsh', '_mcpdeck'],
    ['fish', 'mcpdeck.fish'],
  ] as const)
    writeFileSync(join(folder, file), execFileSync(process.execPath, [boot, 'completion', shell]))
  for (const name of ['mcpdeck.1', noticesFile]) copyFileSync(join(dist, name), join(folder, name))
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'))
  copyFileSync(join(node, 'LICENSE'), join(folder, 'LICENSE.node'))
  return executable
}

await ensureBuilt()
rmSync(release, { recursive: true, force: true })
const sums = new Map<System, string>()
for (const system of wanted) {
  const executable = await fill(system)
  const archive = `${nameOf(system)}.tar.gz`
  execFileSync('tar', ['-czf', archive, nameOf(system)], { cwd: release })
  const content = readFileSync(join(release, archive))
  sums.set(system, createHash('sha256').update(content).digest('hex'))
  const sizes = [statSync(executable).size, content.length].map(bytes => `${Math.round(bytes / 1e6)} MB`)
  console.log(`release/${archive}: ${sizes.join(', packed ')}`)
}
writeFileSync(
  join(release, 'SHA256SUMS'),
  [...sums].map(([system, sum]) => `${sum}  ${nameOf(system)}.tar.gz\n`).join(''),
)

if (sums.size === systems.length) {
  const fields = { version: manifest.version, url: values.url, ...Object.fromEntries(sums) }
  const formula = readFileSync(join(root, 'packaging/mcpdeck.rb'), 'utf8')
  const filled = formula.replaceAll(
    /\{(version|url|[a-z]+-[a-z\d]+)\}/g,
    (_, name: keyof typeof fields) => fields[name],
  )
  writeFileSync(join(release, 'mcpdeck.rb'), filled)
}

if (wanted.includes('linux-x64')) {
  const figures = sizesAndStarts(join(release, nameOf('linux-x64'), 'mcpdeck'))
  console.log(`\n${figures}`)
  if (values.write) await writeInto(join(root, 'docs/performance.md'), figures, 'package')
}
