import { expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { confirmKeys, panesKeys } from '../../src/components/component-keys.ts'
import { textOverlayKeys } from '../../src/components/text-overlay-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { prepareNightly } from '../nightly-home.ts'
import { temporaryDirectory } from '../service/harness.ts'
import { newHome } from './homes.ts'
import { visit } from './visitor.ts'

const keys = runsKeys.bindings

test('a failed nightly run leads to the property that a server changed, and to a rerun that passes', async ending => {
  const home = newHome(ending)
  const { place, drift } = await prepareNightly(home, temporaryDirectory(ending))
  await using person = visit({ cols: 80, rows: 24, home, args: [place] })
  await person.see(/▌#2 +✗ failed +1\/4[^]*#1 +✓ passed +4\/4/)

  person.press(keys.open)
  await person.see('▌Run #2')
  await person.see(() => person.words().includes('the schema of get-sum changed: `a` is now string'))
  expect(person.words()).toContain('number) (3 cases)')

  person.press(keys.doctor)
  await person.see(() => person.words().includes('adds small numbers: called get-sum: `a` must be string'))
  const words = person.words()
  expect(words).toContain('From run #1 to run #2')
  expect(words).toContain('/properties/a/type a is now string (was number)')
  expect(words).toContain('Used by 3 failing cases: adds small numbers, adds large numbers, adds nothing')
  person.press(textOverlayKeys.bindings.close)
  await person.seeGone('From run #1')

  drift(false)
  person.press(keys.doctor)
  await person.see(() => person.words().includes('The current tools accept all 3 calls of the failing cases.'))
  person.press(textOverlayKeys.bindings.close)
  await person.seeGone('From run #1')

  person.press(keys.rerun)
  await person.see('3 of 4 cases would run again.')
  await person.see('❯ Cancel')
  person.press(confirmKeys.bindings.next)
  await person.see('❯ Rerun 3 cases')
  person.press(confirmKeys.bindings.choose)

  await person.see(() => person.words().includes('#3 ✓ passed against #2 ✗ failed, the run that it repeats'))
  await person.see(() => person.words().includes('Of 3 cases that ran again: 3 fixed.'))
  await person.see(/✓ fixed +adds small numbers[^]*✓ fixed +adds large numbers[^]*✓ fixed +adds nothing/)
  person.press(panesKeys.bindings.zoom)
  await person.see(() => person.words().includes('Passed 3 of 3'))

  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
})
