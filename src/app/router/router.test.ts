import { describe, expect, test } from 'vitest'
import { createRouter } from './router.ts'

const inbox = { screen: 'now', params: { line: 'run r1' } }
const run = { screen: 'runs', params: { projectId: 'p', runId: 'r1', pane: 'run' } }

describe('one step out', () => {
  test('of a place that was opened already inside is the step back to where that was done', () => {
    const router = createRouter(inbox)
    router.go(run)
    // What the screen fills in, and other tabs, do not make it another way in.
    router.replace({ suiteId: 's', tab: 'trials' })
    router.stepOut({ pane: 'runs', runId: undefined })
    expect(router.current()).toEqual(inbox)
  })

  test('of what one went into on the screen leads out on the screen', () => {
    const router = createRouter(inbox)
    router.go({ screen: 'runs', params: { projectId: 'p' } })
    router.replace({ pane: 'run', runId: 'r1' })
    router.stepOut({ pane: undefined, runId: undefined })
    expect(router.current()).toEqual({ screen: 'runs', params: { projectId: 'p' } })
  })

  test('leads out on the screen too after one went out and in again', () => {
    const router = createRouter(inbox)
    router.go(run)
    router.replace({ pane: undefined })
    router.replace({ pane: 'run' })
    router.stepOut({ pane: undefined })
    expect(router.current().screen).toBe('runs')
  })

  test('a place that one came back to is left as before, and the first place has nothing behind it', () => {
    const router = createRouter(run)
    router.go(inbox)
    router.go(run)
    router.go({ screen: 'findings', params: {} })
    router.back()
    router.stepOut({ pane: undefined })
    expect(router.current()).toEqual(inbox)
    router.back()
    router.stepOut({ pane: undefined })
    expect(router.current()).toEqual({ screen: 'runs', params: { projectId: 'p', runId: 'r1' } })
  })
})
