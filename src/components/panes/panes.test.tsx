import { afterEach, expect, test } from 'vitest'
import { openApp, type TestApp } from '../../../test/harness.tsx'
import { runsRoute } from '../../screens/runs/route.ts'
import { panesKeys } from '../component-keys.ts'

let app: TestApp
afterEach(() => app.close())

const { zoom, next } = panesKeys.bindings

async function openRuns(): Promise<void> {
  app = await openApp({
    place: async client => runsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  await app.see(/╭▌Suites .*┬ Runs/)
}

test('z gives the focused pane the whole width and follows the focus, and z again gives it back', async () => {
  await openRuns()
  await app.press(zoom)
  const frame = await app.see(/╭▌Suites .* zoomed ──╮/)
  expect(frame).not.toMatch(/[╭┬] Runs/)
  expect(frame.split('\n').every(line => [...line].length <= 100)).toBe(true)
  await app.press(next)
  await app.see(/╭▌Runs .* zoomed ──╮/)
  expect(app.frame()).not.toContain('Suites ')
  await app.press(zoom)
  await app.see(/╭ Suites .*┬▌Runs/)
  expect(app.frame()).not.toContain('zoomed')
})

test('Alt and a number goes to that pane; a number too high says how many there are', async () => {
  await openRuns()
  await app.press('alt+3')
  await app.see('┬▌Run ')
  await app.press('alt+1')
  await app.see(/╭▌Suites/)
  await app.press('alt+7')
  await app.see('There are 3 panes here.')
})
