import { spawnSync } from 'node:child_process'
import { describe, expect, onTestFinished, test } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { createHome, minimalEnv, removeHome } from '../pty/home.ts'
import { PROGRAM } from './visitor.ts'

function emptyHome(): string {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  return home
}

/** Runs mcpdeck without a terminal, in an empty home. */
function run(...args: string[]) {
  return runIn(emptyHome(), ...args)
}

function runIn(home: string, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, ...args], {
    env: minimalEnv(home),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

describe('wrong usage is answered with one sentence and exit code 2:', () => {
  test.each<[string, string[], RegExp]>([
    ['an unknown option', ['--bogus'], /Unknown option '--bogus'/],
    [
      'an address without a key',
      ['--base-url', 'https://mcp.example/api/v1'],
      /^mcpdeck: No key for https:\/\/mcp\.example\/api\/v1: set MCPDECK_API_KEY\. .+\n$/,
    ],
    ['an address that is none', ['--base-url', 'mcp.example'], /^mcpdeck: .+\n$/],
    ['a place that is none', ['nowhere/at/all'], /^mcpdeck: There is no place "nowhere\/at\/all"\. .+\n$/],
    [
      'a command with a typo in it',
      ['gett', 'runs'],
      /^mcpdeck: There is no command "gett"\. Did you mean "get"\? See mcpdeck --help\.\n$/,
    ],
    [
      'an option behind a command with a typo in it',
      ['gett', 'runs', '--json'],
      /^\{.*"message":"Unknown option '--json'\. .*There is no command \\"gett\\" that could take it\. Did you mean \\"get\\"\?"\}\n$/,
    ],
    ['an escape sequence', ['x\u001b[2J', 'y'], /"x␛\[2J"/],
    ['a data directory without a name', ['get', 'runs', '--data-dir', ''], /--data-dir is empty/],
    ['an unknown option of a command', ['serve', '--bogus'], /Unknown option '--bogus'/],
    ['a port out of range', ['serve', '--port', '70000'], /whole number from 0 to 65535/],
  ])('%s', (_, args, sentence) => {
    const { status, stdout, stderr } = run(...args)
    expect(stderr).toMatch(sentence)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
  })
})

test('without a terminal the program prints the content of the workspace as plain text', () => {
  const { status, stdout, stderr } = run()
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  // Samples are added in the background: on a slow start some exist already.
  expect(stdout.split('\n').filter(line => !line.includes(' Sample: '))).toEqual([
    'local workspace',
    expect.stringMatching(/^project Sandbox \(prj_\w+\)$/),
    '  server everything stdio',
    expect.stringMatching(/^ {2}suite Reference server smoke: never run$/),
    '',
  ])
  expect(stdout).not.toContain('\u001B')
})

test('without a terminal only the named project is printed, and an unknown one is wrong usage', () => {
  const home = emptyHome()
  expect(runIn(home, 'api', 'createProject', '--field', 'name=Other').status).toBe(0)
  const printed = (...args: string[]) => runIn(home, ...args).stdout.match(/^project \w+/gm)
  expect(printed()).toEqual(['project Sandbox', 'project Other'])
  expect(printed('projects/Other/servers')).toEqual(['project Other'])
  expect(printed('--project', 'Sandbox')).toEqual(['project Sandbox'])
  for (const args of [['projects/none'], ['--project', 'none']]) {
    const { status, stdout, stderr } = runIn(home, ...args)
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' })
    expect(stderr).toContain('There is no project "none".')
  }
})

test('the program prints its options and its version', () => {
  const help = run('--help')
  expect(help).toMatchObject({ status: 0, stderr: '' })
  for (const word of ['--base-url', '--read-only', '--data-dir', 'serve']) expect(help.stdout).toContain(word)
  expect(run('--version')).toEqual({ status: 0, stdout: `${manifest.version}\n`, stderr: '' })
})

test('samples are added, reported and removed', () => {
  const home = emptyHome()
  const sample = (...args: string[]) => {
    const { status, stdout, stderr } = runIn(home, 'serve', 'sample', ...args)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }
  expect(sample('status')).toBe('')
  const added = sample('add')
  expect(added).toMatch(/^suite +ste_\w+ +Sample: nightly on the reference server$/m)
  expect(sample('add')).toBe(added)
  expect(sample('status')).toBe(added)
  expect(runIn(home).stdout).toMatch(/^ {2}suite Sample: nightly on the reference server: failed$/m)
  expect(JSON.parse(sample('status', '--json'))).toMatchObject({ items: { length: 12 } })
  expect(sample('remove')).toBe('12 removed, with all that belongs to them\n')
  expect(JSON.parse(sample('remove', '--json'))).toEqual({ removed: [], kept: [] })
})
