import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { confirmKeys } from '../../src/components/component-keys.ts'
import { screens } from '../../src/app/registry.ts'
import { goKeysOf } from '../../src/app/shell/app-keys.ts'
import { casesKeys, middleKeys } from '../../src/screens/suites/cases-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { commandLineOf } from '../command-line-of.ts'
import { until, type Ending } from '../service/harness.ts'
import { usedHome } from './homes.ts'
import { visit, type Visitor } from './visitor.ts'

const TITLE = 'Echo gives the message back'

/**
 * A home with an editor that runs this script. The script has the file's `path` and `text`, and `count`, the number of
 * its runs.
 */
function homeWithEditor(
  ending: Ending,
  script: string,
): { home: string; env: Record<string, string | undefined>; runs: () => string[] } {
  const home = usedHome(ending)
  const [editor, program] = [join(home, 'my editor'), join(home, 'editor.cjs')]
  const log = join(home, 'runs')
  // The interpreter path in the first line of a script cannot contain a space.
  writeFileSync(editor, `#!/bin/sh\nexec ${commandLineOf(process.execPath, program)} "$@"\n`)
  writeFileSync(
    program,
    `
const { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } = require('node:fs')
const path = process.argv.at(-1)
const text = readFileSync(path, 'utf8')
const count = existsSync(${JSON.stringify(log)}) ? readFileSync(${JSON.stringify(log)}, 'utf8').split('\\n').length : 1
appendFileSync(${JSON.stringify(log)}, JSON.stringify({ args: process.argv.slice(2, -1), mode: (statSync(path).mode & 0o777).toString(8), tty: process.stdin.isTTY === true, raw: process.stdin.isRaw, secrets: Object.keys(process.env).filter(name => /KEY|TOKEN|HIDDEN/.test(name)), text }) + '\\n')
${script}
`,
  )
  chmodSync(editor, 0o700)
  const env = { EDITOR: `'${editor}' --wait`, MCPDECK_HIDDEN: 'x', MY_API_TOKEN: 'x' }
  const runs = () => (existsSync(log) ? readFileSync(log, 'utf8').trimEnd().split('\n') : [])
  return { home, env, runs }
}

async function openCases(person: Visitor): Promise<void> {
  await person.see('▌Sandbox')
  person.press(goKeysOf(screens).bindings.runs, ',')
  person.type('r')
  await person.see(/▌Reference server/)
  person.press(runsKeys.bindings.open)
  await person.see(/▌Runs/)
  person.press(middleKeys.bindings.next)
  await person.see(/▌Echo gives/)
}

const keptIn = (home: string): string[] => {
  const folder = join(home, '.local/state/mcpdeck/edited')
  return existsSync(folder) ? readdirSync(folder) : []
}

test.concurrent('a case is edited in the person’s editor, corrected, and only then sent', async ending => {
  const { home, env, runs } = homeWithEditor(
    ending,
    `
writeFileSync(path, count === 1 ? text.replace('iterations: 3', 'iterations: 30') : text.replace('iterations: 30', 'iterations: 5'))`,
  )
  await using person = visit({ home, env })
  await openCases(person)
  person.press(casesKeys.bindings.edit)
  await person.see('"iterations" must be at most 10, not 30.')
  person.press(confirmKeys.bindings.next)
  await person.see('❯ Open the editor again')
  person.press(confirmKeys.bindings.choose)
  await person.see('iterations: 3 › 5')
  expect(keptIn(home), 'kept until it is written').toHaveLength(1)
  person.press(confirmKeys.bindings.next)
  await person.see('❯ Send the change')
  person.press(confirmKeys.bindings.choose)
  await person.see(`Changed ${TITLE}.`)
  await until(
    () => keptIn(home),
    texts => texts.length === 0,
  )
  const [first, second] = runs().map(line => JSON.parse(line) as Record<string, string>)
  expect(first).toMatchObject({ args: ['--wait'], mode: '600', tty: true, secrets: [] })
  expect(second!.text).toMatch(/#!! line (\d+), column 13: "iterations" must be at most 10, not 30\.\niterations: 30/)
  const [, line] = /#!! line (\d+), column 13/.exec(second!.text!)!
  expect(second!.text!.split('\n')[Number(line) - 1]).toBe('iterations: 30')
})

test.concurrent('an unchanged text does nothing, and an editor that fails loses nothing', async ending => {
  const { home, env, runs } = homeWithEditor(
    ending,
    `
if (count === 2) writeFileSync(path, '# nothing\\n')
if (count > 2) writeFileSync(path, text.replace('iterations: 3', 'iterations: 7'))
process.exit(count === 3 ? 3 : 0)`,
  )
  await using person = visit({ home, env })
  await openCases(person)
  person.press(casesKeys.bindings.edit)
  await person.see('Nothing was changed.')
  person.press(casesKeys.bindings.edit)
  await person.see('was empty; nothing was changed.')
  await until(
    () => keptIn(home),
    texts => texts.length === 0,
  )
  person.press(casesKeys.bindings.edit)
  await person.see(/ended with 3\. Your text is saved/)
  expect(keptIn(home)).toHaveLength(1)
  person.press(casesKeys.bindings.edit)
  await person.see('iterations: 3 › 7')
  expect(runs()[3]).toContain('#!! Kept from')
  person.press(confirmKeys.bindings.cancel)
  await person.see('is saved; edit it again')
})

test.concurrent('a missing editor is reported, and the screen returns', async ending => {
  const home = usedHome(ending)
  await using person = visit({ home, env: { VISUAL: 'no-such-editor', EDITOR: 'true' } })
  await openCases(person)
  person.press(casesKeys.bindings.edit)
  await person.see('There is no program no-such-editor')
  await person.see('▌Echo gives')
  await until(
    () => keptIn(home),
    texts => texts.length === 0,
  )
})

test.concurrent('binary data, ten megabytes and invalid YAML are refused and kept', async ending => {
  const { home, env } = homeWithEditor(
    ending,
    `
if (count === 1) writeFileSync(path, Buffer.from([0x74, 0x0a, 0, 1, 2]))
if (count === 2) writeFileSync(path, '#'.repeat(80).concat('\\n').repeat(130_000))
if (count === 3) writeFileSync(path, 'title: [\\n')`,
  )
  await using person = visit({ home, env })
  await openCases(person)
  for (const words of ['line 2, column 1: This is binary data', 'longer than 4 MiB', 'cannot be read as YAML']) {
    person.press(casesKeys.bindings.edit)
    await person.see(() => person.words().includes(words))
    person.press(confirmKeys.bindings.cancel)
    await person.seeGone('❯ Leave it for later')
    await person.see('is saved; edit it again')
    expect(keptIn(home)).toHaveLength(1)
  }
})

test.concurrent('the editor has the terminal with keys and Ctrl+C, and the screen returns', async ending => {
  const { home, env } = homeWithEditor(
    ending,
    `
process.stdout.write('EDITOR IS HERE\\n')
process.on('SIGINT', () => process.stdout.write('INTERRUPTED\\n'))
process.stdin.on('data', data => {
  process.stdout.write('GOT ' + JSON.stringify(String(data)) + '\\n')
  if (String(data).includes('done')) process.exit(0)
})`,
  )
  await using person = visit({ home, env })
  await openCases(person)
  const before = person.terminal.screen()
  person.press(casesKeys.bindings.edit)
  await person.see('EDITOR IS HERE')
  expect(person.terminal.buffer).toBe('normal')
  person.type('q\r')
  await person.see('GOT "q\\n"')
  person.type('\u0003')
  await person.see('INTERRUPTED')
  expect(person.terminal.exit).toBeUndefined()
  person.type('done\r')
  await person.see('Nothing was changed.')
  expect(person.terminal.buffer).toBe('alternate')
  // The header and the footer have clocks and notices; the border above the footer shows the result of the last action.
  const rows = (screen: string) => screen.split('\n').slice(1, -2)
  expect(rows(person.terminal.screen())).toEqual(rows(before))
})
