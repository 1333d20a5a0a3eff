import { equal } from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { afterEach } from 'vitest'

/** Programs that the running test has started. */
let started = 0
subscribe('child_process', () => (started += 1))

// Tests that start programs belong to the other projects, which have more time.
afterEach(() => {
  const count = started
  started = 0
  equal(count, 0, `a test of npm run test:fast started ${count} programs: it belongs to APART in vitest.config.ts`)
})
