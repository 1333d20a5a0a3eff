import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { nowRoute } from '../../screens/now/route.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { screens } from '../registry.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { rankEntries, type PaletteEntry } from './palette-entries.ts'

describe('in the program', () => {
  let testService: TestService
  let projectId: string
  let app: TestApp
  beforeAll(async () => {
    testService = await openService()
    projectId = (await testService.client.projects.list()).items[0]!.id
  })
  afterAll(() => testService.close())
  afterEach(() => app.close())

  async function openPalette(): Promise<void> {
    app = await openApp({ testService, place: serversRoute.to({ projectId }) })
    await app.see('▌everything')
    await app.press(appKeys.bindings.palette)
    await app.see('Palette')
  }

  test('a screen is a few letters away', async () => {
    await openPalette()
    await app.type('go runs')
    await app.see(/▌Go to Runs/)
    await app.press('enter')
    await app.see('Reference server smoke')
    expect(app.router.current()).toEqual({ screen: 'runs', params: { projectId } })
  })

  test('all screens are listed with their letters and what they are, and one opens', async () => {
    app = await openApp({ testService, place: serversRoute.to({ projectId }), size: { width: 80, height: 24 } })
    await app.see('▌everything')
    await app.press(',', ',')
    const shown = await app.see('All screens')
    for (const { title, about, goKey } of screens) {
      const row = shown.split('\n').find(line => line.includes(about)) ?? ''
      expect(row).toContain(title)
      expect(row).toContain(`, ${goKey} `)
    }
    await app.type('sign-in')
    await app.see(/▌Connections/)
    await app.press('enter')
    await app.see('No server is being connected')
    expect(app.router.current().params).toEqual({ projectId })
  })

  test('another project is a key and a few letters away, on the screen that is open', async () => {
    const name = 'New bakery'
    const { id } = await testService.client.projects.create({ body: { name } })
    app = await openApp({ testService, place: projectsRoute.to({ projectId }) })
    await app.see(name)
    app.router.go(serversRoute.to({ projectId }))
    await app.see('▌everything')
    await app.press(appKeys.bindings.projects)
    await app.see('Choose a project')
    await app.type('bakery')
    await app.see(/▌New bakery/)
    await app.press('enter')
    await app.see('This project has no saved server.')
    expect(app.router.current()).toEqual({ screen: 'servers', params: { projectId: id } })
    await app.press(appKeys.bindings.projects)
    await app.type('all')
    await app.press('enter')
    await app.see('Sandbox')
    expect(app.router.current().screen).toBe('projects')
    await testService.client.projects.delete({ projectId: id })
  })

  test('what was read already is found by its name', async () => {
    await openPalette()
    await app.type('sandb')
    await app.see(/▌Sandbox +project/)
    await app.press('enter')
    await app.see('▌Sandbox')
    expect(app.router.current()).toEqual(projectsRoute.to({ projectId }))
  })

  test('what several screens read stands there once, and goes when something else is typed', async () => {
    app = await openApp({ testService, place: nowRoute.to({}), size: { width: 100, height: 50 } })
    await app.see(/suites in Sandbox/)
    await app.press('4')
    await app.see('▌Reference server smoke')
    await app.press(appKeys.bindings.palette)
    const opened = await app.see(/Sandbox +project/)
    expect(opened.match(/Sandbox +project/g)).toHaveLength(1)
    await app.type('help')
    const typed = await app.see(/▌.*help/)
    expect(typed).not.toMatch(/Sandbox +project/)
  })

  test('an action is done as its key would, with the overlay that it opens', async () => {
    await openPalette()
    await app.type('everywhere help')
    await app.see(/▌Everywhere: help +\?/)
    await app.press('enter')
    await app.see('What works here')
  })

  test('a pasted locator opens its place', async () => {
    await openPalette()
    await app.type(`projects/${projectId}/runs`)
    await app.see(/▌Open projects\/prj_/)
    await app.press('enter')
    await app.see('Reference server smoke')
  })

  test('what is half typed, of another profile or of the web is told as it is', async () => {
    await openPalette()
    await app.type('projects/%')
    await app.see('▌Open projects/%')
    await app.press('escape')
    await app.press(appKeys.bindings.palette)
    await app.type('https://app.example/projects/prj_1')
    await app.see('▌Open it (The local workspace has no pages on the web.)')
    await app.press('escape')
    await app.press(appKeys.bindings.palette)
    await app.type('mcpdeck://production/projects/prj_1')
    await app.see(/▌Open it .*the profile production/)
    await app.press('enter')
    await app.see('! That is of the profile production: open it with mcpdeck in the shell.')
    expect(app.router.current()).toEqual(serversRoute.to({ projectId }))
  })

  test('without a match it says so, and Enter does nothing', async () => {
    await openPalette()
    await app.type('zzzzqqq')
    await app.see('Nothing fits.')
    await app.press('enter')
    await app.see('Nothing fits.')
    await app.press('escape')
    await app.see(frame => !frame.includes('Palette'))
    expect(app.router.current().screen).toBe('servers')
  })

  test('arrows move, and the palette lists every action of the page with its key', async () => {
    await openPalette()
    await app.see(/▌Go to Now/)
    await app.press('down', 'down', 'down')
    await app.see(/▌Go to Runs/)
    await app.press('up')
    await app.see(/▌Go to Servers/)
    await app.type('doctor')
    await app.see(/Servers: .+ d\b/)
  })
})

describe('ranking', () => {
  const entry = (text: string, unavailable?: string): PaletteEntry => ({
    id: text,
    text,
    detail: '',
    choose: () => undefined,
    ...(unavailable !== undefined && { unavailable }),
  })

  test('words as typed come before letters, and what cannot be done comes last', () => {
    const entries = [entry('Runs: cancel the run', 'It has ended.'), entry('Canopy cell'), entry('cancel all')]
    expect(rankEntries(entries, 'cancel').map(({ text }) => text)).toEqual([
      'cancel all',
      'Canopy cell',
      'Runs: cancel the run',
    ])
  })

  test('the action on the key that is typed comes first', () => {
    const quit = { ...entry('Everywhere: quit'), id: 'action app.quit', detail: 'q Ctrl+C' }
    expect(rankEntries([entry('run #17 of quality'), quit], 'q')[0]).toBe(quit)
  })

  test('never invents, repeats or, without a text, loses an entry', () => {
    const text = fc.string({ maxLength: 12 })
    fc.assert(
      fc.property(fc.uniqueArray(text), text, (texts, query) => {
        const entries = texts.map(each => entry(each))
        const found = rankEntries(entries, query)
        expect(new Set(found).size).toBe(found.length)
        for (const each of found) expect(entries).toContain(each)
        if (query.trim() === '') expect(found).toEqual(entries)
      }),
    )
  })
})
