import { afterEach, beforeEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { projectsRoute } from '../../screens/projects/route.ts'
import { appKeys } from '../everywhere-keys.ts'
import { listKeys, marksKeys } from './list-keys.ts'

let testService: TestService
let app: TestApp
beforeEach(async () => {
  testService = await openService()
  for (const name of ['Amber', 'Birch', 'Cedar']) await testService.client.projects.create({ body: { name } })
  app = await openApp({ testService, place: projectsRoute.to() })
  await app.see(/of 4/)
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

const { mark, filter, sort, reverse, down, first } = listKeys.bindings

test('Space marks rows by identity, the title counts them, and Esc removes the marks before it leaves', async () => {
  await app.press(sort, first, mark, down, down, mark)
  await app.see(/1 marked|2 marked/)
  expect(app.frame()).toMatch(/│◆Amber/)
  expect(app.row('◈')).toMatch(/│◈Cedar/)
  await app.press(reverse)
  await app.see('Name↓')
  // The sort order is shown by the title of the column.
  expect(app.row('▌Projects')).not.toContain('by name')
  expect(app.frame()).toMatch(/◆Amber/)
  expect(app.row('Birch')).not.toContain('◆')
  await app.press(filter)
  await app.type('birch')
  await app.press('enter')
  await app.see(/of 1\/4, 2 marked \(2 hid/)
  await app.press(marksKeys.bindings.clear)
  await app.see(frame => !frame.includes('marked'))
  expect(app.row('▌Projects')).toContain('/birch')
  await app.press('escape')
  await app.see('of 4')
})

test('a filter can name a column or exclude by one, and names an unknown column', async () => {
  await app.press(filter)
  await app.type('!name:amber')
  await app.see('of 3/4')
  expect(app.frame()).not.toContain('Amber')
  await app.press('ctrl+u')
  await app.type('colour:red')
  await app.see('There is no column “colour”')
  await app.see('Nothing matches “colour:red”')
})

test('a filter and the palette have the editing keys of any text field', async () => {
  await app.press(filter)
  await app.type('birchxx amber')
  await app.press('ctrl+w', 'backspace', 'left', 'delete', 'backspace', 'ctrl+a', 'ctrl+f', 'home', 'delete', 'b')
  await app.see('/birch')
  await app.see('of 1/4')
  await app.press('escape', appKeys.bindings.palette)
  await app.type('projects xx')
  await app.press('alt+b', 'ctrl+k', 'ctrl+u', 'ctrl+y', 'home', 'ctrl+d')
  await app.see(' rojects ')
})

test('after a refresh a new row has a sign, and the title counts removed rows', async () => {
  const { items } = await testService.client.projects.list()
  const gone = items.find(project => project.name === 'Amber')!
  await testService.client.projects.delete({ projectId: gone.id })
  await app.press(appKeys.bindings.refresh)
  await app.see(/1 gone/)
  await testService.client.projects.create({ body: { name: 'Dune' } })
  await app.press(sort, appKeys.bindings.refresh)
  await app.see(/Dune .*\+│/)
})
