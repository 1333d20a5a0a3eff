import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { record, sighting } from '../../../test/service/graded-waves.ts'
import { openingPlace } from '../../cli/dashboard/opening-place.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { findingsKeys } from '../../screens/findings/bindings.ts'
import { findingsRoute } from '../../screens/findings/route.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { screens } from '../registry.ts'
import { formatPlace, type Place } from '../../tui/router/place.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

const routes = screens.map(({ route }) => route)
const PROFILE = { name: 'local', local: true }

let testService: TestService
let projectId: string
let suiteId: string
let runIds: string[]
let app: TestApp | undefined

beforeAll(async () => {
  testService = await openService()
  const { client, service } = testService
  projectId = (await client.projects.list()).items[0]!.id
  for (const [index, names] of [['b'], ['a', 'b']].entries())
    record(
      service.store,
      { projectId, waveId: `w${index}`, at: Date.now() - 10_000 + index },
      names.map(name => sighting(name, { subject: { kind: 'journey', id: `id-${name}`, label: `Goal ${name}` } })),
    )
  suiteId = (await client.suites.list({ projectId })).items[0]!.id
  for (let count = 0; count < 2; count += 1) await client.runs.create({ projectId, body: { suiteId } })
  runIds = (await client.runs.list({ projectId, suiteId })).items.map(({ id }) => id)
})
afterAll(() => testService.close())
afterEach(async () => {
  await app?.close()
  app = undefined
})

const open = async (place: Place): Promise<void> => {
  app = await openApp({ testService, place })
}

/** Pins the selected item, and returns its name in the dialog. */
async function pin(): Promise<string> {
  await app!.press(appKeys.bindings.pin)
  const frame = await app!.see('Pinned ')
  await app!.press('escape')
  return /Pinned ([^\n│─]*)/.exec(frame)![1]!.trim()
}

/** Returns the place that the copied link names. */
async function link(): Promise<Place> {
  await app!.press(appKeys.bindings.copyLink)
  await app!.see('Copied the link')
  return openingPlace(app!.copied.at(-1), PROFILE)
}

describe('every place that README and docs name', () => {
  const folder = join(import.meta.dirname, '../../..')
  const docs = readdirSync(join(folder, 'docs')).filter(
    name => name.endsWith('.md') && !['api.md', 'service.md', 'tour.md'].includes(name),
  )
  const text = ['README.md', ...docs.map(name => join('docs', name))]
    .map(name => readFileSync(join(folder, name), 'utf8'))
    .join('\n')
  const words = routes.map(({ screen }) => screen)
  const paths = [...text.matchAll(/(?:mcpdeck:\/\/\w+\/)?\bprojects\/[A-Z]\b[\w/?=&]*/g)].map(([found]) => found)
  const names = words.filter(word => new RegExp(`(?:\`|npm start -- |mcpdeck )${word}\``).test(text))

  test('is found in them', () => {
    expect(paths).toContain('projects/P/runs/R')
    expect(names.toSorted()).toEqual(words.toSorted())
  })

  test.each([...new Set(paths)])('opens the record that it names: %s', async example => {
    const ids: Record<string, string> = { P: projectId, R: runIds[1]!, S: suiteId }
    const place = openingPlace(
      example.replaceAll(/\b[A-Z]\b/g, letter => ids[letter] ?? letter),
      PROFILE,
    )
    await open(place)
    await app!.see(/[╭├][^\n]*Run #\d/)
    expect(await pin()).toMatch(/^run Reference server smoke #/)
    expect((await link()).params).toMatchObject(place.params)
  })

  test.each(names)('opens the screen that it names: %s', async name => {
    await open(openingPlace(name, PROFILE, { project: projectId }))
    const { title } = screens.find(({ route }) => route.screen === name)!
    await app!.see(frame => frame.split('\n')[0]!.includes(title))
  })
})

describe('the place follows the focus', () => {
  test('a run that is selected by name opens, and pinning and linking act on it', async () => {
    await open(runsRoute.to({ projectId, suiteId }))
    await app!.see('#2')
    await app!.press('5')
    await app!.see('Goal b')
    await app!.press(appKeys.bindings.palette)
    await app!.see('Palette')
    await app!.type(runIds[1]!)
    await app!.see(/▌[^\n]* run /)
    await app!.press('enter')
    await app!.see(/[╭├][^\n]*Run #\d/)
    expect(await pin()).toMatch(/^run Reference server smoke #/)
    expect((await link()).params).toMatchObject({ runId: runIds[1], suiteId })
  })

  test('after going back from a finding and moving, the link leads to the newly selected finding', async () => {
    await open(findingsRoute.to({ projectId }))
    await app!.see('Goal a')
    await app!.press(findingsKeys.bindings.open)
    await app!.see(() => app!.router.current().params['pane'] === 'detail')
    const first = (await link()).params['findingId']
    await app!.press(findingsKeys.bindings.back, listKeys.bindings.down)
    const second = (await link()).params['findingId']
    expect(second).not.toBe(first)
    await app!.press(appKeys.bindings.copyId)
    expect(app!.copied.at(-1)).toBe(second)
    await app!.press('4')
    await app!.see('Suites')
    await app!.press(appKeys.bindings.last)
    await app!.see('Findings')
    expect(app!.router.current().params['findingId']).toBe(second)
  })

  test('a finding that is opened by name while the list is shown becomes the selected row', async () => {
    await open(findingsRoute.to({ projectId }))
    await app!.see('Goal a')
    for (const label of ['Goal a', 'Goal b', 'Goal a']) {
      await app!.press(appKeys.bindings.palette)
      await app!.see('Palette')
      await app!.type(label)
      await app!.see(new RegExp(`▌[^\\n]*${label}[^\\n]*finding`))
      await app!.press('enter')
      await app!.see(frame => !frame.includes('Palette') && new RegExp(`▌[^\\n]*${label}`).test(frame))
    }
  })

  test('a key pressed right after a move acts on the row that was moved to', async () => {
    await open(serversRoute.to({ projectId }))
    await app!.see(/▌\S+ +(?:stdio|http)/)
    const servers = (await testService.client.servers.list({ projectId })).items
    await app!.press(listKeys.bindings.down, appKeys.bindings.copyId)
    const [moved] = app!.copied
    expect(servers.map(({ id }) => id)).toContain(moved)
    expect((await link()).params['serverId']).toBe(moved)
    await app!.press(listKeys.bindings.up, appKeys.bindings.copyId)
    expect(servers.length === 1 || app!.copied.at(-1) !== moved).toBe(true)
  })

  test('going back from a run to its list keeps a run as the place; going back to the suites, the suite', async () => {
    await open(runsRoute.to({ projectId, suiteId, runId: runIds[1], pane: 'run' }))
    await app!.see(/[╭├][^\n]*Run #\d/)
    await app!.press(appKeys.bindings.refresh)
    app!.router.replace({ pane: 'runs' })
    await app!.press(listKeys.bindings.up)
    expect((await link()).params).toMatchObject({ runId: runIds[0], pane: 'runs' })
    await app!.press(runsKeys.bindings.back)
    const place = await link()
    expect(place.params).toMatchObject({ suiteId, pane: 'suites' })
    expect(place.params).not.toHaveProperty('runId')
    expect(await pin()).toMatch(/^suite /)
    expect(formatPlace(routes, place)).toMatch(/^projects\/prj_\w+\/runs\?/)
  })
})
