import { readFileSync } from 'node:fs'
import { setInterval } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import type { Terminal } from '../pty/terminal.ts'
import { ownClock } from '../fuzz/look.ts'
import { until } from '../service/harness.ts'
import { visit, type Visitor } from './visitor.ts'

/** Resident memory of a process in megabytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

async function leave(person: Visitor): Promise<void> {
  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  expect(person.terminal.buffer).toBe('normal')
}

/** Every row of panes ends with its border, in the last column. */
function isStraight(terminal: Terminal): boolean {
  const { rows, cols } = terminal
  const lines = terminal.screen().split('\n')
  const panes = lines.slice(2, rows - 1)
  return lines.length === rows && panes.every(line => line.length === cols && /[╮┤│┃╯]$/.test(line))
}

test('50 resizes within a second with keys between them end in a correct frame', async () => {
  await using person = visit({ cols: 120, rows: 40 })
  const { terminal } = person
  await person.see('▌Sandbox')
  let step = 0
  for await (const _ of setInterval(20)) {
    step += 1
    terminal.resize(62 + ((step * 37) % 120), 16 + ((step * 11) % 40))
    if (step % 10 === 0) person.go((step / 10) % 2 === 0 ? 2 : 3)
    if (step === 50) break
  }
  terminal.resize(100, 30)
  person.go(4)
  await person.see('▌Reference server smoke')
  await person.see(() => isStraight(terminal))
  await leave(person)
})

describe('a terminal that reads nothing, as after Ctrl+S,', () => {
  test(
    'for ten seconds does not stop a run, and shows the right screen once it reads again',
    { timeout: 300_000 },
    async () => {
      await using person = visit({ isPlain: true, cols: 120, rows: 40 })
      const { terminal } = person
      await person.see('▌Sandbox')
      person.press(projectsKeys.bindings.runs)
      await person.see('▌Reference server smoke')
      person.press(runsKeys.bindings.launch)
      await person.see('As configured')
      person.press(formKeys.bindings.choose)
      await person.see(/▌ Launch \d+ trials/)
      person.press(formKeys.bindings.choose)
      await person.see('▌Run #1')
      terminal.stopReading()
      const before = memoryOf(terminal.pid)
      const time = ownClock(terminal.pid)
      // Frames of the program fill the buffer of the kernel, so that nothing more is sent.
      person.type('234'.repeat(40))
      await until(time, elapsed => elapsed > 10_000)
      // Dropped frames are garbage, which a busy machine collects a little later.
      await until(
        () => memoryOf(terminal.pid) - before,
        grown => grown < 100,
      )
      const seen = terminal.bytes
      person.go(4)
      terminal.goOnReading()
      await person.see(/#1 .*✗ failed +9\/10/)
      // Only the last frame and the content of the kernel's buffer were written; frames that were never shown were not.
      expect(terminal.bytes - seen).toBeLessThan(120_000)
      expect(isStraight(terminal)).toBe(true)
      person.press(listKeys.bindings.down)
      await leave(person)
    },
  )

  test('does not keep the program from ending on SIGTERM', async () => {
    await using person = visit({ cols: 200, rows: 60 })
    const { terminal } = person
    await person.see('▌Sandbox')
    terminal.stopReading()
    // Once the buffer of the kernel is full, no more output is sent, not even a few bytes.
    const stoppedAt = performance.now()
    await until(
      () => {
        person.type('23')
        return performance.now() - stoppedAt
      },
      elapsed => elapsed > 3_000,
    )
    terminal.kill('SIGTERM')
    await until(
      () => isThere(terminal.pid),
      there => !there,
    )
  })
})

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
