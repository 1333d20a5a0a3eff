import { describe, expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { visit, type Visitor } from './visitor.ts'

/** A round trip of 300 milliseconds, as over ssh to another continent. */
const FAR = { delayMs: 150 }
/** The same with a bandwidth of 32 kbit/s. */
const NARROW = { ...FAR, bytesPerSecond: 4000 }

async function leave(person: Visitor): Promise<void> {
  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  expect(person.terminal.buffer).toBe('normal')
}

test.concurrent('at 300 ms of latency the terminal is not queried, and keys typed ahead take effect', async () => {
  await using person = visit({ cols: 120, rows: 40, line: FAR })
  await person.see('Swarms and scenarios')
  const before = person.terminal.output.length
  for (const [number, title] of [
    [4, '▌Reference server smoke'],
    [2, '▌Sandbox'],
  ] as const) {
    person.go(number)
    await person.see(title)
  }
  // Status and mode reports, and colour queries.
  expect(person.terminal.output.slice(before)).not.toMatch(/\x1b\[[?>=]?[\d;]*(?:[nc]|\$p|u)|\x1b\]1[01];\?/)

  // A field receives what was typed in one piece with the key that opens it.
  person.type('/sand')
  await person.see('/sand')
  person.type('\u001B[27u4/smoke')
  await person.see(/\[4 Runs\][^]*\/smoke/)
  expect(person.terminal.words()).not.toContain('· by ')
  person.type('\u001B[27u')
  await person.seeGone('/smoke')
  person.go(2)
  await person.see('▌Sandbox')

  // Opens the project, looks around in its runs, and returns to the server through the palette.
  person.press(projectsKeys.bindings.open)
  person.type('4jjkk2jkjk3')
  person.press(appKeys.bindings.palette)
  person.type('go to proj')
  person.terminal.press('enter')
  person.go(4)
  person.press(listKeys.bindings.filter)
  person.type('smoke')
  person.terminal.press('enter')
  await person.see(/\[4 Runs\][^]*▌Reference server smoke/)
  await person.see('smoke')
  await leave(person)
})

describe.concurrent('a connection that carries 4 KB a second', () => {
  test('sends only the latest of the screens that many keys cause', async () => {
    await using person = visit({ cols: 120, rows: 40, line: NARROW })
    const { terminal } = person
    await person.see('▌Sandbox')
    person.press(projectsKeys.bindings.open)
    await person.see('a program over stdio')
    const before = terminal.bytes
    const screens = 60
    person.type(`${'23'.repeat(screens / 2)}4`)
    await terminal.waitFor(/\[4 Runs\][^]*▌Reference server smoke/, 40_000)
    // A screen has at least 2,500 bytes; the data that the kernel and the connection hold has already been sent.
    expect(terminal.bytes - before).toBeLessThan(screens * 1500)
    await leave(person)
  })

  test('loses nothing if it stalls now and then', async () => {
    const line = { ...FAR, stalls: { everyMs: 1000, forMs: 600 } }
    await using person = visit({ cols: 120, rows: 40, line })
    await person.see('▌Sandbox')
    for (let round = 0; round < 5; round += 1) {
      person.type('4jk3jk2')
      await person.see(/\[2 Projects\][^]*▌Sandbox/)
      person.type('4')
      await person.see(/\[4 Runs\][^]*▌Reference server smoke/)
    }
    await leave(person)
  })
})
