import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { fieldKeys } from '../../src/components/component-keys.ts'
import { incidentsKeys, notebookKeys } from '../../src/screens/notebook/bindings.ts'
import { nowKeys } from '../../src/screens/now/bindings.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { lossyLine } from '../pty/lossy-line.ts'
import type { Condition } from '../pty/terminal.ts'
import { createApi, sandbox } from '../service/harness.ts'
import { patiently } from './answers.ts'
import { startServing } from './serving.ts'
import { visit } from './visitor.ts'

const FAR = { delayMs: 150 }
const BAD = { delayMs: 400 }

test('on call over a lossy line, a failed run is found, opened, acknowledged, pinned and exported', async () => {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const serving = await startServing(home)
  const api = createApi(request => fetch(request), serving.env.MCPDECK_API_KEY, serving.baseUrl)
  const { projectId } = await sandbox(api)
  const { items } = await api.call(contract.suites.list, { projectId })
  const suite = items.find(({ name }) => name === 'Reference server smoke')!
  await api.call(contract.runs.create, { projectId, body: { suiteId: suite.id } })

  await using line = await lossyLine(serving.baseUrl, {
    ...BAD,
    loss: 0.05,
    seed: 5,
    losses: ['broken', 'unanswered', 'cut short'],
  })
  await using person = visit({
    env: { ...serving.env, MCPDECK_BASE_URL: line.url },
    args: ['now'],
    line: FAR,
    cols: 80,
    rows: 24,
  })
  const see = (wanted: Condition) => patiently(person, wanted)
  await see(/run failed +Reference server smo/)
  // The most urgent line comes first on the small screen.
  expect(person.terminal.screen()).toMatch(/Since *│\n│▌high /)
  person.press(nowKeys.bindings.faults)
  await see(/Now 1 of \d+[^\n]* faults only/)
  person.press(nowKeys.bindings.faults)
  await see(/Now 1 of \d+[^\n]* new or regressed/)
  person.press(nowKeys.bindings.faults)
  await see(terminal => !/Now 1 of[^\n]* new or regressed/.test(terminal.screen()))
  // Other lines may appear before this one as they are read, so it is found by its text.
  person.type('/smoke')
  person.press(fieldKeys.bindings.submit)
  await see(/▌high +✗ run failed/)
  person.press(nowKeys.bindings.open)
  await see('[4 Runs]')
  await see('Sum is wrong on purpose')
  person.press(appKeys.bindings.last)
  await see('[1 Now')
  await see(/▌high +✗ run failed/)

  person.press(appKeys.bindings.pin)
  await see('Pinned run Reference server smoke #1')
  person.type(`key ${serving.env.MCPDECK_API_KEY} leaked`)
  person.press(fieldKeys.bindings.submit)
  await see('Pinned run Reference server smoke #1 into')
  person.press(nowKeys.bindings.acknowledge)
  await see('Acknowledged 1 line')
  await person.seeGone(/▌high +✗ run failed/)

  person.type(',i')
  person.press(incidentsKeys.bindings.entries)
  await see(/▌(?:\d\d:\d\d:\d\d ){1,2}run +key /)
  person.press(notebookKeys.bindings.note)
  await see('Add a note')
  person.type('looked at the line')
  person.press(fieldKeys.bindings.submit)
  await see(/▌[^\n]* note +looked at the line/)
  person.press(notebookKeys.bindings.export)
  await see('Export the incident')
  person.press(fieldKeys.bindings.clear)
  const file = join(person.terminal.home, 'incident.md')
  person.type(file)
  person.press(fieldKeys.bindings.submit)
  await see('Wrote ')
  const text = readFileSync(file, 'utf8')
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(text).toMatch(/- Outcome: failed[^]*looked at the line/)
  expect(text).not.toContain(serving.env.MCPDECK_API_KEY)
  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
})
