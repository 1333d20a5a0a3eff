import { afterEach, beforeAll } from 'vitest'
import { forgetPrograms, forgetTerminals, lastScreens, startsPrograms } from './pty/started.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** A failed test's: whether its file starts programs. */
    startsPrograms?: boolean
    /** A failed test's: what its terminals showed last. */
    screens?: string[]
  }
}

beforeAll(forgetPrograms)

// The reporter adds this to what failed.
afterEach(({ task }) => {
  if (task.result?.state === 'fail')
    Object.assign(task.meta, { startsPrograms: startsPrograms(), screens: lastScreens() })
  // Tests that run beside each other share the list.
  if (!task.concurrent) forgetTerminals()
})
