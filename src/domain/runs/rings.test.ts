import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { systemClock } from '../../lib/clock.ts'
import { openStored } from '../../lib/files/profile-store.ts'
import { createRings, ringsKey } from './rings.ts'

test('of several windows one announces the end of a run, and none again after a restart', () => {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-rings-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const file = join(directory, 'rung.json')
  const open = () =>
    createRings(
      openStored(file, ringsKey, {
        clock: systemClock,
        onFault(error) {
          throw error
        },
      }),
    )
  const [one, other] = [open(), open()]
  expect([one.claim('r1'), other.claim('r1'), one.claim('r1')]).toEqual([true, false, false])
  expect(other.claim('r2')).toBe(true)
  expect([open().claim('r1'), open().claim('r2'), open().claim('r3')]).toEqual([false, false, true])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})
