import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { formKeys } from '../../components/form/form-keys.ts'
import { environmentsKeys } from '../../screens/environments/bindings.ts'
import { environmentsRoute } from '../../screens/environments/route.ts'

const SMALL = { width: 30, height: 8 }
const ROOMY = { width: 100, height: 40 }

test('a form keeps its input while the terminal is too small, and ignores keys until it is larger', async () => {
  const app = await openApp({
    place: async client => environmentsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
    size: ROOMY,
  })
  onTestFinished(() => app.close())
  await app.see('No environment')
  await app.press(environmentsKeys.bindings.add)
  await app.see(/▌ Name +\(required\)/)
  await app.type('Typed')
  await app.resize(SMALL)
  await app.see('this terminal has 30×8.')
  expect(app.frame()).not.toContain('Typed')
  await app.type(' blindly')
  await app.press(formKeys.bindings.send)
  await app.resize(ROOMY)
  await app.see(/▌ Name +\(required\)[^]*Typed/)
  expect(app.frame()).not.toMatch(/blindly|This field is required/)
  await app.type(' on')
  await app.see('Typed on')
})
