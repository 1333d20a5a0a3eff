import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'

const boot = join(import.meta.dirname, '../../dist/boot.js')

function startAs(version: string) {
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '${version}' })`
  return spawnSync(process.execPath, ['--import', `data:text/javascript,${pretend}`, boot, '--version'], {
    encoding: 'utf8',
  })
}

test.each(['12.22.12', '20.20.2', '22.18.9'])('Node %s is refused with the version that is needed', version => {
  const { status, stdout, stderr } = startAs(version)
  expect(stderr).toBe(`mcpdeck needs Node 22.19 or newer; this is Node ${version}.\n`)
  expect(stdout).toBe('')
  expect(status).toBe(2)
})

test.each(['22.19.0', '22.20.1', '24.0.0', '100.0.0'])('Node %s starts the program', version => {
  const { status, stdout, stderr } = startAs(version)
  expect(stderr).toBe('')
  expect(stdout).toMatch(/\d+\.\d+\.\d+/)
  expect(status).toBe(0)
})

test('a Node without WebAssembly is refused with what to do about it', () => {
  const env = { ...process.env, NODE_OPTIONS: '--jitless' }
  const { status, stdout, stderr } = spawnSync(process.execPath, [boot, 'now'], { encoding: 'utf8', env })
  expect(stderr).toContain('leave --jitless out of NODE_OPTIONS')
  expect(stderr).not.toContain('ReferenceError')
  expect(stdout).toBe('')
  expect(status).toBe(2)
})

test('a clock before 1970 ends the program with a sentence instead of an endless wait', () => {
  const before = 'data:text/javascript,Date.now = () => -86400000'
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--import', before, boot, 'now', '--json'], {
    encoding: 'utf8',
  })
  expect(stderr).toContain('which stands before 1970 on this machine')
  expect(stdout).toBe('')
  expect(status).toBe(2)
})

test.each([[], ['--version'], ['get', 'projects'], ['run', 'x', '--yes']])(
  'a user without a home directory is told to set HOME: %j',
  (...args) => {
    // The error of libuv if neither HOME nor the user database has a home directory.
    const without = `const os = process.getBuiltinModule('node:os')
      os.homedir = () => { throw new Error('uv_os_homedir') }
      process.getBuiltinModule('node:module').syncBuiltinESMExports()`
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', `data:text/javascript,${encodeURIComponent(without)}`, boot, ...args],
      { encoding: 'utf8' },
    )
    expect(stderr).toBe('mcpdeck finds no home directory: set HOME to a directory that it may write to.\n')
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  },
)

test('the code that a start loads is plain ASCII, which V8 stores in one byte a character', () => {
  const folder = dirname(boot)
  const loaded = readdirSync(folder).filter(name => /^(?:start|open|registry|dashboard|service)-/.test(name))
  expect(loaded.map(name => name.replace(/-.*/, ''))).toEqual(
    expect.arrayContaining(['start', 'open', 'registry', 'dashboard', 'service']),
  )
  const others = loaded.filter(name => readFileSync(join(folder, name)).some(byte => byte > 0x7f))
  expect(others).toEqual([])
})
