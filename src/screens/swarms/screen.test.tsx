import { afterEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { until } from '../../../test/service/harness.ts'
import { panesKeys, tabsKeys } from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { sessionsKeys } from '../sessions/bindings.ts'
import { sessionsRoute } from '../sessions/route.ts'
import { runSessionsKeys, swarmsKeys, wavesKeys } from './bindings.ts'
import { swarmsRoute } from './route.ts'

const { open, back } = swarmsKeys.bindings
const { next, previous } = tabsKeys.bindings
let app: TestApp
afterEach(() => app.close())

/** Opens the screen on a workspace with its samples, which has a swarm and recorded waves. */
async function openSamples(size?: { width: number; height: number }): Promise<string> {
  let projectId = ''
  app = await openApp({
    testService: await openService({ samples: true }),
    ...(size && { size }),
    place: async client => {
      projectId = (await client.projects.list()).items[0]!.id
      // The samples arrive in parts, after the workspace was opened.
      await until(
        () => client.sessions.list({ projectId, sourceType: 'scenario' }),
        ({ items }) => items.length > 0,
      )
      return swarmsRoute.to({ projectId })
    },
  })
  await app.see('▌Whole project')
  return projectId
}

describe('the screen of swarms', () => {
  test('lists swarms below the whole project, with the totals of their recent runs', async () => {
    await openSamples()
    await app.see(/Based on +the latest \d+ runs, \d+ of them graded/)
    await app.see(/Goal reached +\d+ of \d+ graded sessions \(\d+%\)/)
    await app.see(/\d{4}-\d\d-\d\d +━+─* \d+ of \d+ graded sessions/)
    await app.see(/Criteria that failed in recent runs[^\n]*\n[^\n]*✗ [A-Z][^\n]* \(Sample: /)
    await app.see(/\d+d ago: failed in 1 of 2 graded sessions; the run before too/)
    await app.press(listKeys.bindings.down)
    await app.see(/New journeys +1 target × 2 sessions, up to 4 turns each/)
    await app.see(/Environments +Sample: assistant/)
    // The row of the project is there before the first answer, whose swarms are not new.
    expect(app.frame()).toMatch(/Sample: weekly look +\d*d +│/)
  })

  test('opens the list of a tab level by level, and Esc goes back from each', async () => {
    await openSamples()
    await app.press(next)
    await app.see('Sample: weather for a trip')
    await app.press(open)
    await app.see(/Whole project › Journeys › Sample: /)
    await app.press(open)
    await app.see(/Goal\n?/)
    await app.press(next)
    await app.see(/completed|partial/)
    await app.press(open)
    await app.see('[Runs]')
    await app.see('[Progress]')
    await app.see(/Grades +\d+ graded, \d+ missed goal or criteria/)
    await app.press(open, next)
    await app.see(/Of \d+ sessions \d+ are graded; every rate is of those\./)
    await app.press(next)
    await app.see('[Sessions]')
    await app.see('[Conversation]')
    await app.press(runSessionsKeys.bindings.open)
    await app.see('Outcome')
    for (let step = 0; step < 7; step += 1) await app.press(back)
    await app.see('▌Swarms')
    expect(app.router.here().params['pane']).toBeUndefined()
  })

  test('changes the tabs of the opened row while its list has the focus', async () => {
    await openSamples()
    await app.press(next, open, next)
    await app.see(/\[Waves\]/)
    await app.see(/› Waves › /)
    await app.press(previous, previous)
    await app.see('▌Whole project')
    await app.see(/\[Overview\]/)
  })

  test('leads from a wave to its latest findings, and back to all findings', async () => {
    await openSamples()
    await app.press(next, next, open)
    await app.see(/› Waves › /)
    await app.press(wavesKeys.bindings.findings)
    await app.see('seen last by one wave')
    await app.press('alt+f')
    await app.see(frame => !frame.includes('seen last by one wave'))
  })

  test('leads from a session to its run', async () => {
    const projectId = await openSamples()
    app.router.go(sessionsRoute.to({ projectId, source: 'swarm' }))
    await app.see(/▌swarm/)
    await app.press(sessionsKeys.bindings.parent)
    await app.see(/\[7 Swarms\]/)
    await app.see('[Conversation]')
    await app.see('Outcome')
  })

  test.each([
    [60, 20],
    [80, 24],
    [120, 40],
    [200, 50],
  ])('fills a screen of %i×%i and nothing more', async (width, height) => {
    await openSamples({ width, height })
    await app.press(open)
    await app.see('[Overview]')
    await app.press(next)
    await app.see(/Sample: weather/)
    expect(app.frame().split('\n')).toHaveLength(height)
  })

  test('keeps the list beside the opened row with room for three panes, and leads back', async () => {
    await openSamples({ width: 200, height: 50 })
    await app.press(next)
    await app.see('Sample: weather for a trip')
    await app.press(open)
    await app.see(/╭ Swarms 1 of \d.*┬▌Whole project .*┬ Sample: /)
    await app.press(panesKeys.bindings.previous)
    await app.see(/╭▌Swarms 1 of \d.*┬ Whole project /)
    expect(app.frame()).not.toMatch(/┬.*┬/)
  })
})
