import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { packProgram, writeExecutable } from '../../scripts/package/executable.ts'
import { systems } from '../../scripts/package/nodes.ts'
import { root } from '../../scripts/paths.ts'
import { openHome } from '../cli/program.ts'
import { createHome, minimalEnv, removeHome } from '../pty/home.ts'

const MB = 1_000_000

type Packed = { filename: string; size: number; files: { path: string }[] }

test('the package is small, has no dependencies, and runs where it is installed', () => {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const own = join(home, 'own')
  const env = { ...minimalEnv(home), npm_config_prefix: own, npm_config_offline: 'true' }
  const run = (cwd: string, command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // The program is already built.
  const packed = run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', home)
  const [{ filename, size, files }] = JSON.parse(packed) as [Packed]
  expect(size).toBeLessThan(3 * MB)
  const ours = /^(?:dist\/|(?:LICENSE|README\.md|package\.json)$)/
  expect(files.filter(({ path }) => !ours.test(path))).toEqual([])
  expect(files.map(({ path }) => path)).toContain('dist/THIRD_PARTY_LICENSES')

  // In the same way as the image for build boxes.
  const image = readFileSync(join(root, 'packaging/Dockerfile'), 'utf8')
  const [, command = ''] = /^COPY mcpdeck-\*\.tgz \/tmp\/mcpdeck\.tgz\nRUN (.+)$/m.exec(image) ?? []
  copyFileSync(join(home, filename), join(home, 'mcpdeck.tgz'))
  run(home, '/bin/sh', '-c', command.replaceAll('/tmp/', `${home}/`))
  expect(existsSync(join(home, 'mcpdeck.tgz'))).toBe(false)
  const modules = join(own, 'lib/node_modules')
  expect(readdirSync(modules).filter(name => !name.startsWith('.'))).toEqual(['mcpdeck'])
  const installed = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map(name => join(modules, name))
  expect(installed.filter(path => path.includes('/mcpdeck/node_modules'))).toEqual([])
  expect(installed.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(12 * MB)
  expect(readFileSync(join(own, 'share/man/man1/mcpdeck.1'), 'utf8')).toContain('.SH EXIT STATUS')

  const program = join(own, 'bin/mcpdeck')
  expect(run(home, program, 'call', 'everything', 'get-sum', 'a=2', 'b=3', '--yes')).toBe('The sum of 2 and 3 is 5.\n')
})

test('the formula installs an archive for every system, with its checksum', () => {
  const formula = readFileSync(join(root, 'packaging/mcpdeck.rb'), 'utf8')
  const installed = [...formula.matchAll(/url "\{url\}\/mcpdeck-\{version\}-(.+)\.tar\.gz"\n +sha256 "\{(.+)\}"/g)]
  expect(installed.map(([, archive]) => archive).toSorted()).toEqual(systems.toSorted())
  for (const [, archive, checksum] of installed) expect(checksum).toBe(archive)
})

// This test takes seconds of processor time: a hundred megabytes are read, searched and written.
test('a single executable does everything without Node, from files unpacked for this user only', async context => {
  const system = systems.find(each => each === `${process.platform}-${process.arch}`)
  if (!system) return context.skip('No executable is made for this system.')
  if (!existsSync(join(root, 'node_modules/postject')))
    return context.skip('postject is not installed, which puts the program into Node.')
  const opened = await openHome()
  const { home } = opened
  onTestFinished(() => opened.close())
  const executable = join(home, 'mcpdeck')
  const node = realpathSync(process.execPath)
  await writeExecutable(executable, node, await packProgram(node), system.startsWith('darwin'))
  const env = { ...minimalEnv(home), PATH: '/nowhere', TMPDIR: join(home, 'temporary') }
  mkdirSync(env.TMPDIR)
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(executable, args, { cwd: home, env, encoding: 'utf8' })
    return { status, stdout, stderr }
  }
  const sum = { status: 0, stdout: 'The sum of 2 and 3 is 5.\n' }
  // The reference server is started from the executable, runs have a thread, and work that is passed on has a separate
  // process.
  expect(run('call', 'everything', 'get-sum', 'a=2', 'b=3', '--yes')).toMatchObject(sum)
  const watched = run('run', 'Reference server smoke', '--case', 'Sum of two numbers', '--yes', '--watch', '--json')
  const [{ run: ended }, { items }] = [watched, run('get', 'projects', '--json')].map(({ stdout }) =>
    JSON.parse(stdout),
  ) as [{ run: { suiteId: string } }, { items: { id: string }[] }]
  const into = ['--field', `projectId=${items[0]!.id}`, '--field', `suiteId=${ended.suiteId}`]
  const handed = run('api', 'createEvalRun', ...into, '--yes')
  expect(handed).toMatchObject({ status: 0, stderr: expect.stringContaining('Handed over') })

  const programs = join(home, '.cache/mcpdeck/programs')
  const [version = ''] = readdirSync(programs)
  const files = readdirSync(programs, { recursive: true, encoding: 'utf8' }).map(name => join(programs, name))
  const modes = [programs, ...files].map(path => statSync(path)).map(at => [at.isFile(), at.mode & 0o777])
  expect(new Set(modes.map(String))).toEqual(new Set(['true,384', 'false,448']))

  // A file that was changed or cut is written again.
  const main = join(programs, version, 'dist/main.cjs')
  const before = readFileSync(main, 'utf8')
  writeFileSync(main, before.replace(/./, ' '))
  expect(run('call', 'everything', 'get-sum', 'a=2', 'b=3', '--yes')).toMatchObject(sum)
  expect(readFileSync(main, 'utf8')).toBe(before)

  // A umask of 002 makes the cache writable for the group. In a folder of all users anybody could have put a link in
  // its place.
  chmodSync(join(home, '.cache'), 0o775)
  chmodSync(env.TMPDIR, 0o1777)
  const refused = { status: 2, stdout: '', stderr: expect.stringContaining(`chmod go-w ${join(home, '.cache')}`) }
  expect(run('--version')).toMatchObject(refused)
  expect(readdirSync(env.TMPDIR)).toEqual([])
  chmodSync(env.TMPDIR, 0o700)
  expect(run('--version')).toMatchObject({ status: 0 })
  expect(readdirSync(join(env.TMPDIR, 'mcpdeck/programs'))).toEqual([version])
  expect(statSync(join(env.TMPDIR, 'mcpdeck')).mode & 0o777).toBe(0o700)

  chmodSync(join(home, '.cache'), 0o755)
  chmodSync(programs, 0o777)
  expect(run('--version')).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining('by others') })
})
