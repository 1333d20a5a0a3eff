import { describe, expect, test } from 'vitest'
import { createRouter } from './router.ts'

const inbox = { screen: 'now', params: { line: 'run r1' } }
const run = { screen: 'runs', params: { projectId: 'p', runId: 'r1', pane: 'run' } }
const servers = { screen: 'servers', params: { projectId: 'p' } }

describe('the router', () => {
  test('keeps the screen for a step in or out, which is not a separate place', () => {
    const router = createRouter(inbox)
    router.go(run)
    router.replace({ pane: 'runs', runId: undefined })
    expect(router.current()).toEqual({ screen: 'runs', params: { projectId: 'p', pane: 'runs' } })
    expect(router.last()).toBe(true)
    expect(router.current()).toEqual(inbox)
    router.last()
    expect(router.current()).toEqual({ screen: 'runs', params: { projectId: 'p', pane: 'runs' } })
  })

  test('has no place before the first one', () => {
    const router = createRouter(run)
    router.go(run)
    expect(router.last()).toBe(false)
    expect(router.current()).toEqual(run)
  })

  test('skips a place that is gone when it goes back', () => {
    const router = createRouter(inbox)
    router.go(run)
    router.abandon(({ screen }) => screen === 'runs', servers)
    expect(router.last()).toBe(true)
    expect(router.current()).toEqual(inbox)
    const other = createRouter(run)
    other.go({ ...run, params: { ...run.params, runId: 'r2' } })
    other.abandon(({ screen }) => screen === 'runs', servers)
    expect(other.last()).toBe(false)
    expect(other.current()).toEqual(servers)
  })
})
