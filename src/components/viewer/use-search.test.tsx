import { setImmediate as immediate } from 'node:timers/promises'
import { useState } from 'react'
import { onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { defineRoute } from '../../tui/router/place.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { textSearchKeys, viewerKeys } from '../component-keys.ts'
import { Viewer } from '../viewer.tsx'

const route = defineRoute('reading', 'reading')
const MATCHES = 7
const read = () => Array.from({ length: MATCHES }, (_, row) => `here ${row}`)

test.each([0, 1, 2, 3])('a search key works %s turns of the event loop after the text was read again', async turns => {
  let renew = () => {}
  function ReadingScreen() {
    const [lines, setLines] = useState(read)
    renew = () => setLines(read())
    return <Viewer lines={lines} focused />
  }
  const screen = defineScreen({
    route,
    title: 'Reading',
    about: 'Reads.',
    order: 1,
    goKey: 'a',
    bindings: [],
    load: async () => ReadingScreen,
  })
  const app = await openApp({ screens: [screen], place: route.to() })
  onTestFinished(() => app.close())
  await app.see('here 0')
  await app.press(viewerKeys.bindings.search)
  await app.type('here')
  await app.press('enter')
  await app.see(`1 of ${MATCHES}`)
  for (let step = 1; step < MATCHES; step += 1) {
    renew()
    for (let turn = 0; turn < turns; turn += 1) await immediate()
    await app.press(textSearchKeys.bindings.next)
    await app.see(`${step + 1} of ${MATCHES}`)
  }
})
