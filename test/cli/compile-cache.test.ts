import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import type { Check } from '../../src/cli/doctor/doctor-check.ts'
import { dist } from '../../scripts/paths.ts'
import { minimalEnv, SHARED_COMPILED } from '../pty/home.ts'
import { openHome } from './program.ts'

type Home = Awaited<ReturnType<typeof openHome>>

/** A home with a world-writable temporary directory, like the system's; its programs share no compiled code. */
async function open(): Promise<{ home: Home; cache: string; shared: string }> {
  vi.stubEnv(SHARED_COMPILED, undefined)
  const home = await openHome({ apart: true })
  onTestFinished(() => home.close())
  const shared = join(home.home, 'tmp')
  mkdirSync(shared)
  chmodSync(shared, 0o1777)
  return { home, cache: join(home.home, '.cache/mcpdeck/compiled'), shared }
}

async function doctor(home: Home, env: Record<string, string>): Promise<Check> {
  const { stdout } = await home.run(['doctor', '--json'], { env })
  const { items } = JSON.parse(stdout) as { items: Check[] }
  return items.find(({ check }) => check === 'compile cache')!
}

const modeOf = (path: string) => statSync(path).mode & 0o777

test('compiled code is stored in the user’s cache directory, readable only by that user', async () => {
  const { home, cache, shared } = await open()
  const env = { TMPDIR: shared }
  expect((await home.run(['get', 'projects'], { env })).code).toBe(0)
  expect(readdirSync(shared)).toEqual([])
  expect(modeOf(cache)).toBe(0o700)
  expect(storedIn(cache)).toEqual([expect.stringMatching(/\/mcpdeck-get-\w+$/)])
  expect(await doctor(home, env)).toMatchObject({ state: 'ok', detail: cache })
})

test('the code compiled by one start is used unchanged by the next start of the same kind', async () => {
  const { home, cache } = await open()
  await home.run(['get', 'projects'])
  const [stored = ''] = storedIn(cache)
  const { ino } = statSync(stored)
  expect(await home.run(['get', 'projects'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Sandbox') })
  expect(statSync(stored).ino).toBe(ino)
  await home.run(['--version'])
  expect(storedIn(cache)).toHaveLength(2)
  expect(statSync(stored).ino).toBe(ino)
})

test.each([
  ['cut off', (code: Buffer) => code.subarray(0, code.length / 2)],
  ['empty', () => Buffer.alloc(0)],
  ['something else', () => Buffer.from('something else, of some length')],
  ['damaged', (code: Buffer) => Buffer.concat([code.subarray(0, 4000), Buffer.alloc(code.length - 4000)])],
])('a start with compiled code that is %s works, and stores the code again', async (_, change) => {
  const { home, cache } = await open()
  await home.run(['get', 'projects'])
  const [stored = ''] = storedIn(cache)
  const { size } = statSync(stored)
  writeFileSync(stored, change(readFileSync(stored)))
  expect(await home.run(['get', 'projects'])).toMatchObject({ code: 0, stdout: expect.stringContaining('Sandbox') })
  expect(statSync(stored).size).toBeGreaterThan(size / 2)
})

test('after an upgrade in the same folder the new files run, even if one has the old name and length', async () => {
  const { home } = await open()
  const program = join(home.home, 'program')
  cpSync(dist, program, { recursive: true })
  const run = () =>
    execFileSync(process.execPath, [join(program, 'boot.js'), '--version'], { env: minimalEnv(home.home) }).toString()
  const version = run()
  // The files get other names, as in another build, whose names contain other digests.
  const files = readdirSync(program).filter(name => name.endsWith('.cjs'))
  const started = files.find(name => name.startsWith('start-'))!
  const renamed = started.replace(/.(?=\.cjs)/, last => (last === 'x' ? 'y' : 'x'))
  for (const name of files) {
    const text = readFileSync(join(program, name), 'latin1')
    writeFileSync(join(program, name), text.replaceAll(started, renamed), 'latin1')
  }
  renameSync(join(program, started), join(program, renamed))
  expect(run()).toBe(version)
})

test('the worker and the thread that executes runs do not use the shared directory either', async () => {
  const { home, shared } = await open()
  const env = { TMPDIR: shared, XDG_CACHE_HOME: join(home.home, 'elsewhere') }
  const { stdout } = await home.run(['get', 'suites', '--json'], { env })
  const [suite] = (JSON.parse(stdout) as { items: { id: string }[] }).items
  const launched = await home.run(['run', suite!.id, '--yes'], { env })
  expect(launched.code, launched.stderr).not.toBe(2)
  expect(readdirSync(shared)).toEqual([])
  expect(modeOf(join(home.home, 'elsewhere/mcpdeck/compiled'))).toBe(0o700)
})

const unsafe: [what: string, prepare: (cache: string) => void, why: RegExp][] = [
  ['others can write it', cache => chmodSync(made(cache), 0o777), /compiled can be written by others \(mode 777\)/],
  ['others can read it', cache => chmodSync(made(cache), 0o755), /compiled can be read by others \(mode 755\)/],
  [
    'others can put another one in its place',
    cache => chmodSync(dirname(made(cache)), 0o777),
    /mcpdeck can be written by others/,
  ],
  ['it is a link', cache => symlinkSync(made(`${cache}-2`), cache), /compiled is a symbolic link/],
]

test.each(unsafe)('there is no cache if %s, and the doctor explains that', async (_, prepare, why) => {
  const { home, cache, shared } = await open()
  prepare(cache)
  const found = await doctor(home, { TMPDIR: shared })
  expect(found).toMatchObject({ state: 'warn', next: expect.any(String) })
  expect(found.detail).toMatch(why)
  expect(found.detail).toContain('each start takes longer')
  expect(existsSync(cache) ? readdirSync(cache) : []).toEqual([])
  expect(readdirSync(shared)).toEqual([])
})

test('a named pipe among the compiled code does not block a start, and the doctor names it', async () => {
  const { home, cache, shared } = await open()
  const env = { TMPDIR: shared }
  expect((await home.run(['get', 'projects'], { env })).code).toBe(0)
  const folder = join(cache, readdirSync(cache)[0]!)
  for (const name of readdirSync(folder)) {
    rmSync(join(folder, name))
    execFileSync('mkfifo', [join(folder, name)])
  }
  expect((await home.run(['get', 'projects'], { env })).code).toBe(0)
  expect(await doctor(home, env)).toMatchObject({ state: 'warn', next: expect.stringContaining('Remove it.') })
})

test.skipIf(process.getuid?.() !== 0)('a directory of another user is never used as a cache', async () => {
  const { chownSync } = await import('node:fs')
  const { home, cache, shared } = await open()
  chownSync(made(cache), 12_345, 12_345)
  const found = await doctor(home, { TMPDIR: shared })
  expect(found.detail).toMatch(/compiled belongs to another user/)
  expect(readdirSync(cache)).toEqual([])
})

test('a shared directory in NODE_COMPILE_CACHE is reported, and no program started from here uses it', async () => {
  const { home, cache, shared } = await open()
  const env = { TMPDIR: shared, NODE_COMPILE_CACHE: join(shared, 'all') }
  mkdirSync(env.NODE_COMPILE_CACHE)
  chmodSync(env.NODE_COMPILE_CACHE, 0o777)
  const found = await doctor(home, env)
  expect(found).toMatchObject({ state: 'warn', next: expect.stringContaining('Unset NODE_COMPILE_CACHE') })
  expect(found.detail).toContain('others can run code in mcpdeck')
  expect(existsSync(cache)).toBe(false)
  expect(storedIn(env.NODE_COMPILE_CACHE)).toEqual([])
  const list = async (noun: string) =>
    JSON.parse((await home.run(['get', noun, '--json'], { env })).stdout) as { items: { id: string }[] }
  const [projects, suites] = [await list('projects'), await list('suites')]
  const launch = ['api', 'createEvalRun', '--field', `projectId=${projects.items[0]!.id}`, '--input', '-', '--yes']
  const input = JSON.stringify({ suiteId: suites.items[0]!.id })
  const { code, stderr } = await home.run(launch, { env, input })
  expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('Handed over') })
  // Only the worker is a process that was started by another process of the program.
  expect(existsSync(cache)).toBe(true)
})

test('a disabled cache causes no warning', async () => {
  const { home } = await open()
  expect(await doctor(home, { NODE_DISABLE_COMPILE_CACHE: '1' })).toMatchObject({ state: 'ok' })
})

test('the program starts even if there is no place for a cache', async () => {
  const { home, shared } = await open()
  const env = { TMPDIR: shared, XDG_CACHE_HOME: '/proc' }
  expect((await home.run(['get', 'projects'], { env })).code).toBe(0)
  expect(await doctor(home, env)).toMatchObject({ state: 'warn' })
  expect(readdirSync(shared)).toEqual([])
})

/** Files of compiled code that the program itself wrote to Node's directory. */
function storedIn(cache: string): string[] {
  return readdirSync(cache, { recursive: true, encoding: 'utf8' })
    .filter(name => name.includes('mcpdeck-'))
    .map(name => join(cache, name))
}

function made(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}
