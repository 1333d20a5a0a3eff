import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allBindings } from '../../src/app/shell/all-bindings.ts'
import { SUBCOMMANDS } from '../documents.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Tests that exercise the rows on the servers from npm. */
const REAL = 'test/workbench/'
const FOLDERS = [REAL, 'test/journeys', 'test/cli', 'src/screens']
/**
 * Our own two servers, which do what no server from npm does: one requires a sign-in, the other asks and notifies; the
 * tests of the latter are in two files.
 */
const OWN = /servers\/(oauth-server\.ts|asking-server\.mjs|telling-server\.mjs)/

type Row = { what: string; keys: readonly string[]; commands: readonly string[]; missing: string }
type Exercised = { keys: ReadonlySet<string>; words: ReadonlySet<string> }

/** The rows of the table, with the keys and commands in them. */
function rowsOf(markdown: string): Row[] {
  const [, ...lines] = markdown.split('\n').filter(line => line.startsWith('| '))
  return lines.map(line => {
    const [, what = '', keys = '', commands = '', missing = ''] = line.split('|').map(cell => cell.trim())
    return { what, keys: spans(keys).map(keyNamed).filter(isKey), commands: spans(commands), missing }
  })
}

const spans = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

/** The program's name of a key: `Alt+I` becomes `alt+i`. */
function keyNamed(shown: string): string {
  const named = { Enter: 'enter', Esc: 'escape', Tab: 'tab', Space: 'space' }[shown]
  return named ?? (/^(Alt|Ctrl|Shift)\+/.test(shown) ? shown.toLowerCase() : shown)
}

const isKey = (name: string) => [...name].length === 1 || /^(enter|escape|tab|space|(alt|ctrl|shift)\+.+)$/.test(name)

/** The words of a command that belong to the program: its name, its subcommand and its options. */
function ownWords(command: string): string[] {
  const words = command.replace(/^mcpdeck /, '').split(' ')
  const flags = words.filter(word => word.startsWith('--') && word !== '--')
  const [name = '', part = ''] = words
  const parts = name === 'server' || (name === 'snapshot' && part === 'diff') ? [name, part] : [name]
  return [...new Set([...(name.startsWith('--') ? [] : parts), ...flags])]
}

/** The keys that tests press and the words that they give to the program, read from their sources. */
function exercisedIn(sources: readonly string[]): Exercised {
  const text = sources.join('\n')
  const pressed = [...text.matchAll(/\b(?:press|type)\(([^)]*)\)/g)].map(([, given = '']) => given)
  const literals = pressed.flatMap(given => [...given.matchAll(/'([^']+)'/g)].map(([, literal = '']) => literal))
  // The same key several times, as when a person moves on by some tabs.
  const typed = literals.map(literal => (new Set(literal).size === 1 ? [...literal][0]! : literal))
  const ids = new Set(pressed.flatMap(given => [...given.matchAll(/\.(\w+)/g)].map(([, id = '']) => id)))
  const bound = allBindings.flatMap(({ bindings }) =>
    Object.entries(bindings).flatMap(([id, { keys }]) => (ids.has(id) ? keys : [])),
  )
  return {
    keys: new Set([...typed, ...bound]),
    words: new Set([...text.matchAll(/['"`]([\w-]+)['"`]/g)].map(([, word = '']) => word)),
  }
}

/** Returns the parts of a row that do not exist, or that no test exercises. */
function faultsOf({ what, keys, commands, missing }: Row, exercised: Exercised): string[] {
  const bound = new Set(allBindings.flatMap(({ bindings }) => Object.values(bindings).flatMap(({ keys: own }) => own)))
  const words = commands.flatMap(ownWords)
  return [
    ...(keys.length + commands.length === 0 && missing === ''
      ? [`${what}: names nothing, and nothing that is missing`]
      : []),
    ...keys.filter(key => !bound.has(key)).map(key => `${what}: nothing is bound to ${key}`),
    ...keys.filter(key => !exercised.keys.has(key)).map(key => `${what}: no test presses ${key}`),
    ...commands
      .flatMap(command => ownWords(command).slice(0, 1))
      .filter(name => !name.startsWith('--') && !SUBCOMMANDS.includes(name))
      .map(name => `${what}: there is no command ${name}`),
    ...words.filter(word => !exercised.words.has(word)).map(word => `${what}: no test runs ${word}`),
  ]
}

function testSources(): string[] {
  return FOLDERS.flatMap(folder =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter(name => /\.test\.tsx?$/.test(name))
      .map(name => readFileSync(join(ROOT, folder, name), 'utf8'))
      .filter(text => folder === REAL || OWN.test(text)),
  )
}

const rows = rowsOf(readFileSync(join(ROOT, 'docs/workbench.md'), 'utf8'))

test('the table of docs/workbench.md has a row for each task of people who build servers', () => {
  expect(rows.map(({ what }) => what)).toContain('snapshots')
  expect(rows.flatMap(({ keys }) => keys)).toContain('alt+i')
  expect(rows.flatMap(({ commands }) => commands)).toContain('mcpdeck try -- COMMAND')
})

test.each(rows)('$what: its keys and commands exist and are covered by tests', row => {
  expect(faultsOf(row, exercisedIn(testSources()))).toEqual([])
})

describe('the check of a documented row', () => {
  const row = (keys: string, commands: string, missing = '') =>
    rowsOf(`| what |\n|---|\n| it | ${keys} | ${commands} | ${missing} |`)
  const faults = (keys: string, commands: string, source: string) =>
    row(keys, commands).flatMap(each => faultsOf(each, exercisedIn([source])))

  test.each([
    ['`s`', '', "terminal.type('s')", []],
    ['`]` on', '', "terminal.type(']]]')", []],
    ['`Alt+I`', '', 'app.press(keys.importFiles)', []],
    ['`Alt+I`', '', "terminal.press('alt+c')", ['it: no test presses alt+i']],
    ['`Alt+Z`', '', "terminal.press('alt+z')", ['it: nothing is bound to alt+z']],
    ['', '`mcpdeck server import`', "run('server', 'import')", []],
    ['', '`mcpdeck server import`', "run('server', 'export')", ['it: no test runs import']],
    ['', '`mcpdeck fly`', "run('fly')", ['it: there is no command fly']],
    ['', '`--json`', "run('call')", ['it: no test runs --json']],
    ['', '', '', ['it: names nothing, and nothing that is missing']],
  ])('finds the faults of "%s %s" for tests with %j', (keys, commands, source, wanted) => {
    expect(faults(keys, commands, source)).toEqual(wanted)
  })
})
