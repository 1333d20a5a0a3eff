import { expect, onTestFinished, test } from 'vitest'
import { openApp, type TestApp } from '../../test/harness.tsx'
import { serversRoute } from '../screens/servers/route.ts'

async function openOverview(options: { size: { width: number; height: number }; aloud?: boolean }): Promise<TestApp> {
  const app = await openApp({
    ...options,
    place: async client => {
      const projectId = (await client.projects.list()).items[0]!.id
      return serversRoute.to({ projectId, pane: 'detail' })
    },
  })
  onTestFinished(app.close)
  await app.see('Not checked. Press K to validate.')
  return app
}

test('an overview has the calls below it in a tall pane, beside it in a wide one, and stands alone in a small one', async () => {
  const app = await openOverview({ size: { width: 120, height: 40 } })
  await app.see(/validate\.[^]*│─ Calls ──+│\n[^\n]*No calls yet/)
  await app.resize({ width: 200, height: 50 })
  await app.see(/ Address +a program[^\n]*╭─ Calls ──+│\n[^\n]*│ No calls yet[^]*validate\./)
  await app.resize({ width: 80, height: 16 })
  await app.see(frame => !frame.includes('No calls yet'))
  await app.resize({ width: 120, height: 40 })
  await app.see(/validate\.[^]*│─ Calls ──+│/)
  expect(app.frame().split('\n')).toHaveLength(40)
})

test('a click on what stands with a tab opens it', async () => {
  const app = await openOverview({ size: { width: 120, height: 40 } })
  await app.see('No calls yet')
  await app.click('No calls yet')
  await app.see('[Calls]')
  expect(app.frame()).not.toContain('─ Calls ─')
})

test('read aloud a tab is all there is', async () => {
  const app = await openOverview({ size: { width: 200, height: 50 }, aloud: true })
  expect(app.frame()).not.toContain('No calls yet')
})
