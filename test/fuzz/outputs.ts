import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
  type Stats,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { isInstalled } from '../programs.ts'
import { randomNumbers } from '../random-numbers.ts'
import { Findings, type Part } from './part.ts'
import { runToEnd } from './process.ts'
import type { Stage } from './stage.ts'

const BEFORE = 'what was there before\n'

/** A target for output. */
type Target = {
  path: string
  /** Reads what arrived, if the target has a reader. */
  read?: () => Promise<string>
  /** Names of files that the command may create beside the target. */
  makes?: readonly string[]
}

/** Creates a target in a separate folder. */
const TARGETS: Readonly<Record<string, (folder: string) => Target>> = {
  'a new file': folder => ({ path: join(folder, 'new') }),
  'a file': folder => ({ path: written(folder, 'file') }),
  'a file that is only read': folder => ({ path: written(folder, 'file', 0o400) }),
  'a device': folder => ({ path: device(folder, 'null') }),
  'a full device': folder => ({ path: device(folder, 'full') }),
  'a pipe that nobody reads': folder => ({ path: pipe(folder) }),
  'a pipe that is read': folder => {
    const path = pipe(folder)
    const reader = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'ignore'] })
    let text = ''
    reader.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()))
    const ended = once(reader, 'exit')
    const read = async (): Promise<string> => {
      // A command that wrote nothing never opened the target.
      if (text === '') reader.kill()
      await ended
      return text
    }
    return { path, read }
  },
  'a link to a file': folder => {
    written(folder, 'file')
    return { path: link(folder, 'file') }
  },
  'a link to nothing': folder => ({ path: link(folder, 'later'), makes: ['later'] }),
  'a link to itself': folder => ({ path: link(folder, 'link') }),
  'a link to a folder': folder => {
    mkdirSync(join(folder, 'inner'))
    return { path: link(folder, 'inner') }
  },
  'a folder': folder => ({ path: made(folder) }),
  'a folder that is only read': folder => {
    chmodSync(made(folder), 0o500)
    return { path: join(folder, 'inner', 'file') }
  },
  'a folder that is not there': folder => ({ path: join(folder, 'none', 'file') }),
  'a file below a file': folder => ({ path: join(written(folder, 'file'), 'below') }),
  'a name too long': folder => ({ path: join(folder, 'x'.repeat(300)) }),
  'an odd name': folder => ({ path: join(folder, 'a\u001B[31m\n\u202E.xml'), makes: ['a\u001B[31m\n\u202E.xml'] }),
}

function made(folder: string): string {
  const path = join(folder, 'inner')
  mkdirSync(path)
  return path
}

function written(folder: string, name: string, mode = 0o644): string {
  const path = join(folder, name)
  writeFileSync(path, BEFORE)
  chmodSync(path, mode)
  return path
}

function link(folder: string, to: string): string {
  const path = join(folder, 'link')
  symlinkSync(to, path)
  return path
}

function pipe(folder: string): string {
  const path = join(folder, 'pipe')
  execFileSync('mkfifo', [path])
  return path
}

const DEVICES = { null: '3', full: '7' }

/**
 * A separate device, so that a program that replaces it does no harm. If none can be created, that of the machine is
 * used, unless this user could replace it.
 */
function device(folder: string, name: keyof typeof DEVICES): string {
  const path = join(folder, name)
  if (!isInstalled('mknod')) return `/dev/${name}`
  try {
    execFileSync('mknod', [path, 'c', '1', DEVICES[name]], { stdio: 'ignore' })
    return path
  } catch {
    return process.getuid?.() === 0 ? path : `/dev/${name}`
  }
}

type Writing = { words: (path: string) => readonly string[]; isWhole: (text: string) => boolean }

/** Commands that write to a path, with the text that all of their output has. */
function writingsOf({ passing, failing }: Stage): readonly Writing[] {
  const watch = ['watch', passing.runId, '--timeout', '20s']
  return [
    { words: path => [...watch, '--junit', path], isWhole: text => /^<\?xml[^]*<\/testsuites>\s*$/.test(text) },
    { words: path => [...watch, '--summary', path], isWhole: text => text.includes('Fuzz passes') },
    { words: path => ['suite', 'export', failing.suiteId, '--output', path], isWhole: isSuite },
    { words: path => ['suite', 'export', failing.suiteId, '--output', path, '--force'], isWhole: isSuite },
    { words: path => ['now', '--report', path, '--force'], isWhole: text => /^#/m.test(text) },
    { words: path => ['notebook', 'export', '--output', path], isWhole: () => true },
    { words: path => ['--log-file', path, 'get', 'projects'], isWhole: () => true },
  ]
}

const isSuite = (text: string): boolean => /suite:[^]*cases:[^]*says more/.test(text)

/** Undefined also if no file can exist there. */
function statusOf(path: string): Stats | undefined {
  try {
    return lstatSync(path)
  } catch {
    return undefined
  }
}

/** The kind of a target, which no output changes. */
function kindOf(path: string): string {
  const found = statusOf(path)
  if (!found) return 'nothing'
  const { mode, rdev } = found
  return found.isFile() ? 'a file' : `${mode.toString(8)} ${rdev}`
}

/** Reports, exports and logs written to every kind of path. */
export const outputs: Part = {
  name: 'outputs',
  says: 'reports and exports to devices, pipes, links, folders and files that cannot be written',
  async round({ stage, seed, limits }) {
    const findings = new Findings('outputs', seed)
    const random = randomNumbers(seed)
    const [home, folder] = [createHome(), mkdtempSync(join(tmpdir(), 'mcpdeck-fuzz-'))]
    try {
      const name = random.pick(Object.keys(TARGETS))
      const target = TARGETS[name]!(folder)
      const writing = random.pick(writingsOf(stage))
      const [kind, names] = [kindOf(target.path), readdirSync(folder)]
      const { code, report } = await runToEnd({
        words: writing.words(target.path),
        env: { MCPDECK_BASE_URL: stage.baseUrl, MCPDECK_API_KEY: stage.key },
        home,
        folder,
        limits,
        findings,
        mutations: [name],
      })
      const after = kindOf(target.path)
      const isNew = kind === 'nothing' || kind === 'a file'
      if (after !== kind && !(isNew && ['a file', 'nothing'].includes(after))) report(`${name} became ${after}`)
      const makes = [...names, basename(target.path), ...(target.makes ?? [])]
      for (const left of readdirSync(folder)) if (!makes.includes(left)) report(`left ${left} beside ${name}`)
      const text = await textAt(target)
      if (text !== undefined && !writing.isWhole(text.replace(BEFORE, ''))) {
        const isKept = text === BEFORE || text === ''
        if (code === EXIT.done || !isKept)
          report(`wrote a part to ${name}, or nothing: ${JSON.stringify(text.slice(0, 80))}`)
      }
    } finally {
      removeHome(home)
      execFileSync('chmod', ['-R', 'u+rwX', folder])
      rmSync(folder, { recursive: true, force: true })
    }
    return findings.problems
  },
}

/** Returns the content of a file, or what came through a pipe; undefined if nothing can be read. */
async function textAt({ path, read }: Target): Promise<string | undefined> {
  if (read) return await read()
  if (!existsSync(path) || !statSync(path).isFile()) return undefined
  return readFileSync(path, 'utf8')
}
