import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { root } from '../../scripts/paths.ts'
import { createHome, minimalEnv, removeHome } from '../pty/home.ts'

const MB = 1_000_000

type Packed = { filename: string; size: number; files: { path: string }[] }

test('the package is small, needs no other, and runs where it is installed', () => {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const run = (cwd: string, command: string, ...args: string[]) =>
    execFileSync(command, args, { cwd, env: minimalEnv(home), encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  // The program is built by now.
  const packed = run(root, 'npm', 'pack', '--json', '--ignore-scripts', '--pack-destination', home)
  const [{ filename, size, files }] = JSON.parse(packed) as [Packed]
  expect(size).toBeLessThan(3 * MB)
  const ours = /^(?:dist\/|(?:LICENSE|README\.md|package\.json)$)/
  expect(files.filter(({ path }) => !ours.test(path))).toEqual([])
  expect(files.map(({ path }) => path)).toContain('dist/THIRD_PARTY_LICENSES')

  run(home, 'npm', 'install', '--global', '--offline', '--no-audit', '--prefix', join(home, 'own'), `./${filename}`)
  const modules = join(home, 'own/lib/node_modules')
  expect(readdirSync(modules).filter(name => !name.startsWith('.'))).toEqual(['mcpdeck'])
  const installed = readdirSync(modules, { recursive: true, encoding: 'utf8' }).map(name => join(modules, name))
  expect(installed.filter(path => path.includes('/mcpdeck/node_modules'))).toEqual([])
  expect(installed.reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(12 * MB)

  const program = join(home, 'own/bin/mcpdeck')
  expect(run(home, program, 'call', 'everything', 'get-sum', 'a=2', 'b=3', '--yes')).toBe('The sum of 2 and 3 is 5.\n')
})
