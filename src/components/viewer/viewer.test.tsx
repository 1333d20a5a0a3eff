import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, type TestApp } from '../../../test/harness.tsx'
import { appKeys } from '../everywhere-keys.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { foldKeys, panesKeys, selectionKeys, textSearchKeys, viewerKeys } from '../component-keys.ts'

let app: TestApp
beforeEach(async () => {
  app = await openApp({ place: projectsRoute.to() })
  await app.see('all but: delete any')
  await app.press(panesKeys.bindings.next)
  await app.see('┬▌Sandbox')
})
afterEach(() => app.close())

test('a search shows the number of the match and the total, n and N wrap around, and Esc ends it', async () => {
  await app.press(viewerKeys.bindings.search)
  await app.type('EVAL')
  await app.press('enter')
  await app.see(/\/EVAL {2}1 of \d/)
  const count = Number(/1 of (\d+)/.exec(app.row('/EVAL'))![1])
  await app.press(textSearchKeys.bindings.next)
  await app.see(`2 of ${count}`)
  await app.press(textSearchKeys.bindings.previous, textSearchKeys.bindings.previous)
  await app.see(`${count} of ${count}`)
  await app.press(textSearchKeys.bindings.end)
  await app.see(frame => !frame.includes('/EVAL'))
  await app.press(viewerKeys.bindings.search)
  await app.type('nowhere')
  await app.press('enter')
  await app.see('not found')
})

test('selected lines can be copied, and so can the whole text', async () => {
  await app.press(viewerKeys.bindings.select, viewerKeys.bindings.down)
  await app.see('copy lines')
  await app.press(selectionKeys.bindings.copy)
  await app.see('Copied 2 lines.')
  expect(app.copied[0]).toMatch(/^What you can do now\nE +Run the suite/)
  await app.press(viewerKeys.bindings.copy)
  expect(app.copied[1]?.split('\n').length).toBeGreaterThan(8)
  expect(app.copied[1]).toContain('all but: delete any')
  expect(app.copied[1]).toMatch(/^Ids and other fields: \d+$/m)
})

test('the raw record folds and unfolds, and a value is copied as JSON', async () => {
  await app.press(appKeys.bindings.raw)
  await app.see('"name": "Sandbox"')
  await app.press(foldKeys.bindings.fold)
  await app.see(/▸ \{ \d+ \}/)
  await app.press(foldKeys.bindings.fold)
  await app.see('"name": "Sandbox"')
  await app.press(foldKeys.bindings.fold, viewerKeys.bindings.search)
  await app.type('SANDBOX')
  await app.press('enter')
  await app.see(/\/SANDBOX {2}1 of \d/)
  expect(app.row('"name": "Sandbox"')).toContain('▌')
  await app.press(viewerKeys.bindings.first, viewerKeys.bindings.down, foldKeys.bindings.copy)
  expect(app.copied.at(-1)).toMatch(/^"/)
  await app.press(viewerKeys.bindings.copy)
  expect(JSON.parse(app.copied.at(-1)!)).toMatchObject({ name: 'Sandbox' })
  await app.press(textSearchKeys.bindings.end)
  await app.see(frame => !frame.includes('/SANDBOX') && frame.includes('"name"'))
  await app.press('escape')
  await app.see(frame => !frame.includes('"name"'))
})
