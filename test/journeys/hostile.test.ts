import { expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { screens } from '../../src/app/registry.ts'
import { contract } from '../../src/api/contract/contract.ts'
import type { Terminal } from '../pty/terminal.ts'
import { watchUnasked } from '../pty/unasked.ts'
import { sandbox, until, untilEnded } from '../service/harness.ts'
import { openHostileService } from './hostile-service.ts'
import { visit, type Visitor } from './visitor.ts'

/**
 * Esc as a terminal with a keyboard protocol sends it: a following key never turns it into Alt, however busy the
 * machine is.
 */
const ESCAPE = '\u001B[27u'

/** Resolves once nothing has been written for a while. */
async function still(terminal: Terminal): Promise<void> {
  let last = -1
  let same = 0
  await until(
    () => terminal.bytes,
    bytes => {
      same = bytes === last ? same + 1 : 0
      last = bytes
      return same >= 4
    },
  )
}

/** Places where a row of panes begins or ends with something other than a border. */
function crookedRows(terminal: Terminal): string[] {
  return terminal
    .screen()
    .split('\n')
    .filter(line => /^[╭├│╰]/.test(line))
    .filter((line, _, rows) => rows.length > 0 && !/[╮┤│╯┃]$/.test(line))
}

/** Checks everything written since the last check, and the screen. */
function lookerAt({ terminal }: Visitor): () => Promise<void> {
  const unasked = watchUnasked(terminal, 'dashboard')
  return async () => {
    await still(terminal)
    expect(terminal.exit, 'it runs').toBeUndefined()
    expect(terminal.screen(), 'every pane is drawn').not.toMatch(/Fault in mcpdeck|Invalid Date|NaN/)
    expect(unasked(), 'nothing of theirs was written').toEqual([])
    expect(crookedRows(terminal), terminal.screen()).toEqual([])
  }
}

/** Keys that a visitor may press anywhere without starting or ending anything; questions begin on Cancel. */
const LOOKS = ['enter', 'enter', ']', ']', ']', ']', ']', 'tab', 'j', 'enter', 'J', 'escape', 'enter']
/** The same keys for screens that have few rows to open, or that look the same after everything was seen. */
const GLANCES = ['enter', ']', 'tab', 'j']

// Each test has a separate service and terminal, and mostly waits for a screen that stops changing.
test.concurrent.for([
  ['every text but words of the contract', LOOKS],
  ['every text', GLANCES],
  ['every refusal', GLANCES],
  ['every time', GLANCES],
] as const)('a service hostile in %s is harmless', { timeout: 600_000 }, async ([spoiling, looks], ending) => {
  const { api, env } = await openHostileService(spoiling, ending)
  const { projectId, suiteId } = await sandbox(api)
  const launched = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, launched.runId)
  await using person = visit({ env, cols: 120, rows: 36 })
  const { terminal } = person
  const look = lookerAt(person)
  await person.see('Sandbox')
  await look()
  terminal.press('enter')
  for (const screen of screens) {
    person.open(screen)
    await look()
    for (const key of looks) {
      if (key === 'escape') person.type(ESCAPE)
      else if (key.length === 1) person.type(key)
      else terminal.press(key as 'enter')
      await look()
    }
    person.type(ESCAPE.repeat(4))
    await look()
    if (looks === GLANCES) continue
    person.press(appKeys.bindings.help)
    await look()
    person.type(ESCAPE)
    person.press(appKeys.bindings.palette)
    person.type('e')
    await look()
    person.type(ESCAPE)
  }
  await look()
  if (spoiling !== 'every time') expect(terminal.output.match(/evil/g)!.length).toBeGreaterThan(screens.length)
  terminal.press('ctrl+c')
  expect(await terminal.waitForExit()).toEqual({ code: 130, signal: undefined })
  expect(terminal.buffer).toBe('normal')
})
