import { afterEach, expect, test } from 'vitest'
import { openApp, type TestApp } from '../../test/harness.tsx'
import type { Client } from '../api/client/client.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { runsRoute } from '../screens/runs/route.ts'
import type { Place } from '../tui/router/place.ts'
import { panesKeys } from './component-keys.ts'
import { appKeys } from './everywhere-keys.ts'
import { listKeys } from './list/list-keys.ts'

let app: TestApp
afterEach(() => app.close())

const { zoom, next } = panesKeys.bindings

const openedRuns = async (client: Client): Promise<Place> =>
  runsRoute.to({ projectId: (await client.projects.list()).items[0]!.id })

async function openRuns(): Promise<void> {
  app = await openApp({ place: openedRuns })
  await app.see(/╭▌Suites .*┬ Runs/)
}

test('z gives the focused pane the whole width and follows the focus, and z again restores the panes', async () => {
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

test('Alt and a number focuses that pane, and a number that is too high shows how many there are', async () => {
  await openRuns()
  await app.press('alt+3')
  await app.see('┬▌Run ')
  await app.press('alt+1')
  await app.see(/╭▌Suites/)
  await app.press('alt+7')
  await app.see('There are 3 panes here.')
})

test('while something is open above the panes, only that looks focused', async () => {
  app = await openApp({ place: openedRuns, size: { width: 160, height: 30 } })
  await app.see(/╭▌Suites .*┬ Runs/)
  await app.press(appKeys.bindings.help)
  await app.see('╭▌What works here')
  await app.see(/^╭ Suites/m)
  await app.press('escape')
  await app.see(/^╭▌Suites/m)
})

test('an opened record takes the whole width if hardly more than a border would fit beside it', async () => {
  app = await openApp({ place: openedRuns, size: { width: 94, height: 24 } })
  await app.see(/╭▌Suites/)
  await app.press(appKeys.bindings.help)
  await app.see(/^╭▌What works here .*╮$/m)
})

test('a pane whose names would be cut becomes wider, and no border moves between rows or under a filter', async () => {
  const name = 'Evals of an assistant on a reference server'
  app = await openApp({
    place: async client => {
      await client.projects.create({ body: { name } })
      return projectsRoute.to()
    },
    size: { width: 120, height: 30 },
  })
  await app.see(name)
  const border = app.row('▌Projects').indexOf('┬')
  await app.press(listKeys.bindings.down)
  await app.see('2 of 2')
  expect(app.row('▌Projects').indexOf('┬')).toBe(border)
  await app.press(listKeys.bindings.filter)
  await app.type('sandbox')
  await app.see('of 1/2')
  expect(app.row('▌Projects').indexOf('┬')).toBe(border)
})
