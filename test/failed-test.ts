import { afterEach, beforeAll } from 'vitest'
import { forgetPrograms, forgetTerminals, lastScreens, startsPrograms } from './pty/started.ts'

declare module 'vitest' {
  interface TaskMeta {
    /** Of a failed test: whether its file starts programs. */
    startsPrograms?: boolean
    /** Of a failed test: the last screens of its terminals. */
    screens?: string[]
  }
}

beforeAll(forgetPrograms)

// The reporter adds this to the failure.
afterEach(({ task }) => {
  if (task.result?.state === 'fail')
    Object.assign(task.meta, { startsPrograms: startsPrograms(), screens: lastScreens() })
  // Concurrent tests share the list.
  if (!task.concurrent) forgetTerminals()
})
