import { expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../test/harness.tsx'
import { serversRoute } from '../screens/servers/route.ts'
import { scenariosRoute } from '../screens/scenarios/route.ts'

async function openOverview(options: { size: { width: number; height: number }; aloud?: boolean }): Promise<TestApp> {
  const app = await openApp({
    ...options,
    place: async client => {
      const projectId = (await client.projects.list()).items[0]!.id
      return serversRoute.to({ projectId, pane: 'detail' })
    },
  })
  onTestFinished(app.close)
  await app.see('Not checked. Press K to connect once')
  return app
}

async function openVisits(size: { width: number; height: number }): Promise<TestApp> {
  const app = await openApp({
    testService: await openService({ samples: true }),
    size,
    place: async client => scenariosRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  onTestFinished(app.close)
  return app
}

test('an overview has the calls below it in a tall pane and beside it in a wide one', async () => {
  const app = await openOverview({ size: { width: 120, height: 40 } })
  await app.see(/answers\.[^]*│ ─ Calls ──+ ?│\n[^\n]*No calls yet/)
  await app.resize({ width: 240, height: 50 })
  await app.see(/ Address +a program[^\n]*╭─ Calls ──+ ?│\n[^\n]*│ No calls yet[^]*answers\./)
  // The divider reaches down to the frame and joins it.
  await app.see(/^╰─+┴─+┴─+╯$/m)
  await app.resize({ width: 80, height: 16 })
  await app.see(frame => !frame.includes('No calls yet'))
  await app.resize({ width: 120, height: 40 })
  await app.see(/answers\.[^]*│ ─ Calls ──+ ?│[^]*\n╰─+┴─+╯\n/)
  expect(app.frame().split('\n')).toHaveLength(40)
})

test('a text that is shorter in a wider pane leaves no blank rows above the list below it', async () => {
  const wide = { width: 168, height: 40 }
  const rowOf = (app: TestApp): number =>
    app
      .frame()
      .split('\n')
      .findIndex(row => row.includes('─ Calls ─'))
  const app = await openOverview({ size: { width: 120, height: 40 } })
  await app.see('─ Calls ─')
  const before = rowOf(app)
  await app.resize(wide)
  await app.see(() => rowOf(app) !== before && rowOf(app) > 0)
  const other = await openOverview({ size: wide })
  await other.see('─ Calls ─')
  expect(rowOf(app)).toBe(rowOf(other))
})

test('a list that does not fit beside a text says how many rows are hidden', async () => {
  const app = await openVisits({ width: 240, height: 16 })
  await app.see(/─ Sessions ─+ \d more ─ ?│/)
  await app.resize({ width: 240, height: 50 })
  await app.see(/─ Sessions ─+ ?│/)
})

test('a click on the companion of a tab opens it', async () => {
  const app = await openOverview({ size: { width: 120, height: 40 } })
  await app.see('No calls yet')
  await app.click('No calls yet')
  await app.see('[Calls]')
  expect(app.frame()).not.toContain('─ Calls ─')
})

test('in screen reader mode only the tab is shown', async () => {
  const app = await openOverview({ size: { width: 200, height: 50 }, aloud: true })
  expect(app.frame()).not.toContain('No calls yet')
})
