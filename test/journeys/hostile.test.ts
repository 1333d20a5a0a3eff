import { expect, test } from 'vitest'
import { appKeys } from '../../src/app/shell/app-keys.ts'
import { screens } from '../../src/app/registry.ts'
import { contract } from '../../src/api/contract/contract.ts'
import type { Terminal } from '../pty/terminal.ts'
import { sandbox, until, untilEnded } from '../service/harness.ts'
import { openHostileService } from './hostile-service.ts'
import { visit, type Visitor } from './visitor.ts'

/** Every sequence that the program may write, by what it is for. */
const OWN_SEQUENCES = [
  // SGR without the blinking and the backgrounds that only hostile texts ask for
  /\u001B\[(?!5;7;41)[\d;:]*m/,
  // moving and erasing
  /\u001B\[\d*(?:;\d+)?H|\u001B\[\d*[ABCDGK]|\u001B\[2J/,
  // modes: see src/app/terminal/modes.ts
  /\u001B\[\?(?:7|25|1000|1004|1006|1049|2004|2026)[hl]|\u001B\[\?2026\$p|\u001B\[\?u|\u001B\[2[23];0t/,
  // the title, without anything that could end it, and the question for the background
  /\u001B\]2;[^\u0000-\u001F\u007F-\u009F\u202A-\u202E\u2066-\u2069]*\u001B\\|\u001B\]11;\?(?:\u001B\\|\u0007)/,
  // links that end what was open
  /\u001B\]8;;\u001B\\/,
]
const OWN = new RegExp(OWN_SEQUENCES.map(({ source }) => source).join('|'), 'g')
/** Controls, C1, and marks that turn or hide text; beside the program's own sequences none may be written. */
const RAW =
  /[\u0000-\u0007\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/

/** Esc as a terminal with a keyboard protocol sends it: no key behind it makes it Alt, however busy the machine is. */
const ESCAPE = '\u001B[27u'

/** Resolves when nothing has been written for a while. */
async function still(terminal: Terminal): Promise<void> {
  let last = -1
  let same = 0
  await until(
    () => terminal.bytes,
    bytes => {
      same = bytes === last ? same + 1 : 0
      last = bytes
      return same >= 8
    },
  )
}

/** Where a row of panes begins or ends in something else than a border. */
function crookedRows(terminal: Terminal): string[] {
  return terminal
    .screen()
    .split('\n')
    .filter(line => /^[╭│╰]/.test(line))
    .filter((line, _, rows) => rows.length > 0 && !/[╮│╯┃]$/.test(line))
}

/** Looks at all that was written since the look before, and at the screen. */
function lookerAt({ terminal }: Visitor): () => Promise<void> {
  let seen = 0
  return async () => {
    await still(terminal)
    expect(terminal.exit, 'it runs').toBeUndefined()
    const written = terminal.output.slice(seen).replaceAll(OWN, '')
    seen = terminal.output.length
    const raw = RAW.exec(written)
    const around = raw && written.slice(Math.max(0, raw.index - 60), raw.index + 60)
    expect(around, 'nothing of theirs was written').toBeNull()
    expect(crookedRows(terminal), terminal.screen()).toEqual([])
  }
}

/** What a visitor may press anywhere without starting or ending anything; what asks first begins on Cancel. */
const LOOKS = ['enter', 'enter', ']', ']', ']', ']', ']', 'tab', 'j', 'enter', 'J', 'escape', 'enter']
const BACK = ['escape', 'escape', 'escape', 'escape']

// Each has a service and a terminal of its own, and waits most of its time for a screen that stands still.
test.concurrent.for(['every text but words of the contract', 'every text', 'every refusal'] as const)(
  'hostile: %s reaches the terminal nowhere',
  { timeout: 180_000 },
  async (spoiling, ending) => {
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
    for (const [index] of screens.entries()) {
      person.go(index + 1)
      await look()
      for (const key of [...LOOKS, ...BACK]) {
        if (key === 'escape') person.type(ESCAPE)
        else if (key.length === 1) person.type(key)
        else terminal.press(key as 'enter')
        await look()
      }
      person.press(appKeys.bindings.help)
      await look()
      person.type(ESCAPE)
      await look()
      person.press(appKeys.bindings.palette)
      person.type('e')
      await look()
      person.type(ESCAPE)
      await look()
    }
    expect(terminal.output.match(/evil/g)!.length).toBeGreaterThan(50)
    terminal.press('ctrl+c')
    expect(await terminal.waitForExit()).toEqual({ code: 130, signal: undefined })
    expect(terminal.buffer).toBe('normal')
  },
)
