import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { nowRoute } from '../../screens/now/route.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { screens } from '../registry.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { commandEntries, rankEntries, type PaletteEntry } from './palette-entries.ts'

describe('the palette in the program', () => {
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

  test('a screen is found with a few letters', async () => {
    await openPalette()
    await app.type('go runs')
    await app.see(/▌Go to Runs/)
    await app.press('enter')
    await app.see('Reference server smoke')
    expect(app.router.current()).toEqual({ screen: 'runs', params: { projectId } })
  })

  test('a screen is found first by its name, and by four letters of it', async () => {
    await openPalette()
    for (const { title } of screens)
      for (const typed of [title, title.toLowerCase().slice(0, 4)]) {
        await app.press('ctrl+u')
        await app.type(typed)
        await app.see(frame => frame.includes(`▌Go to ${title} ·`))
      }
  })

  test('all screens are listed with their letters and descriptions, and one opens', async () => {
    app = await openApp({ testService, place: serversRoute.to({ projectId }), size: { width: 80, height: 24 } })
    await app.see('▌everything')
    await app.press(',', ',')
    const shown = await app.see('All screens')
    for (const { title, about, goKey } of screens) {
      const row = shown.split('\n').find(line => line.includes(about.replace(/\.$/, ''))) ?? ''
      expect(row).toContain(title)
      expect(row).toContain(`, ${goKey} `)
    }
    await app.type('sign-in')
    await app.see(/▌Connections/)
    await app.press('enter')
    await app.see('No connection requests.')
    expect(app.router.current().params).toEqual({ projectId })
  })

  test('another project opens on the current screen with a key and a few letters', async () => {
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

  test('records that were already read are found by name', async () => {
    await openPalette()
    await app.type('sandb')
    await app.see(/▌Sandbox +project/)
    await app.press('enter')
    await app.see('▌Sandbox')
    expect(app.router.current()).toEqual(projectsRoute.to({ projectId }))
  })

  test('a record that several screens read is listed once, and only while the text matches', async () => {
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
    await app.press('ctrl+u')
    // The screen and the action of its letter share one line.
    await app.type('go to')
    const screensOf = await app.see(/▌Go to Now/)
    for (const { title, goKey } of screens) {
      const rows = screensOf.split('\n').filter(line => line.includes(`, ${goKey} `))
      expect(rows).toEqual([expect.stringContaining(`Go to ${title} `)])
    }
  })

  test('an action runs as its key would, with the overlay that it opens', async () => {
    await openPalette()
    await app.type('everywhere help')
    await app.see(/▌Everywhere: help +\?/)
    await app.press('enter')
    await app.see('What works here')
  })

  test('commands work as they are typed in other programs', async () => {
    const shown: string[] = []
    const kept: string[] = []
    let quits = 0
    const themes = {
      choices: ['auto', 'nord', 'monochrome'].map(name => ({ name, about: `what ${name} is` })),
      current: () => shown.at(-1) ?? 'auto',
      show: (name: string) => void shown.push(name),
      keep: async (name: string) => {
        kept.push(name)
        return '/a/config.yaml'
      },
    }
    const { id } = await testService.client.projects.create({ body: { name: 'New bakery' } })
    app = await openApp({ testService, place: projectsRoute.to({ projectId }), themes, quit: () => void quits++ })
    await app.see('New bakery')
    app.router.go(serversRoute.to({ projectId }))
    await app.see('▌everything')
    await app.type(':theme nord')
    await app.see(/▌nord · what nord is/)
    await app.press('enter')
    await app.see('Theme nord, kept in /a/config.yaml.')
    expect([shown, kept]).toEqual([['nord'], ['nord']])
    await app.type(':Theme mono')
    await app.press('enter')
    expect(kept).toEqual(['nord', 'monochrome'])
    await app.type(':theme ')
    expect(await app.see(/▌auto · what auto is/)).toContain(' nord · what nord is')
    await app.press('escape')
    await app.type(':project new')
    await app.see(/▌New bakery +project/)
    await app.press('enter')
    await app.see('This project has no saved server.')
    expect(app.router.current()).toEqual({ screen: 'servers', params: { projectId: id } })
    await app.type(`:project ${projectId.slice(0, -1)}`)
    await app.see(/▌Sandbox · prj_/)
    await app.press('enter')
    await app.see('▌everything')
    await app.type('::q')
    await app.press('enter')
    expect(quits).toBe(1)
    await testService.client.projects.delete({ projectId: id })
  })

  test('a pasted address opens its place', async () => {
    await openPalette()
    await app.type(`projects/${projectId}/runs`)
    await app.see(/▌Open projects\/prj_/)
    await app.press('enter')
    await app.see('Reference server smoke')
  })

  test('an incomplete address, one of another profile and a web address are each described', async () => {
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

  test('without a match the palette says so, and Enter does nothing', async () => {
    await openPalette()
    await app.type('zzzzqqq')
    await app.see('Nothing fits.')
    await app.press('enter')
    await app.see('Nothing fits.')
    await app.press('escape')
    await app.see(frame => !frame.includes('Palette'))
    expect(app.router.current().screen).toBe('servers')
  })

  test('the arrow keys move, and every action of the page is listed with its key', async () => {
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

describe('the ranking of the palette', () => {
  const entry = (name: string, more: Partial<PaletteEntry> = {}): PaletteEntry => ({
    id: name,
    name,
    detail: '',
    choose: () => undefined,
    ...more,
  })
  const found = (entries: readonly PaletteEntry[], query: string): string[] =>
    rankEntries(entries, query).map(({ entry: { name } }) => name)
  /** Returns the matching lines with the matched text in brackets. */
  const marked = (entries: readonly PaletteEntry[], query: string): string[] =>
    rankEntries(entries, query).map(({ line, matched }) =>
      [...line]
        .map((character, at) => (matched.has(at) ? `[${character}]` : character))
        .join('')
        .replaceAll('][', ''),
    )

  test('puts names before descriptions, and unavailable actions last', () => {
    const entries = [
      entry('stop', { about: 'Cancel what runs' }),
      entry('cancel the run', { unavailable: 'It has ended.' }),
      entry('a cancelled run'),
      entry('clean every cell'),
      entry('cancel all'),
      entry('cancel'),
    ]
    expect(found(entries, 'cancel')).toEqual(['cancel', 'cancel all', 'a cancelled run', 'stop', 'cancel the run'])
  })

  test('finds nothing for scattered letters', () => {
    const entries = [
      entry('all screens', { lead: 'Everywhere:', about: 'Every screen with its letter and what it is' }),
      entry('copy link', { lead: 'Everywhere:', about: 'Copy a locator of this place, which mcpdeck opens' }),
      entry('up', { lead: 'Everywhere:', about: 'Go one step back on the screen; its top is the last' }),
      entry('Runs', { lead: 'Go to', about: 'Eval suites with their cases, runs and trials' }),
    ]
    for (const query of ['evals', 'eval', 'suite trial']) expect(found(entries, query)).toEqual(['Runs'])
    expect(found(entries, 'evrywhr')).toEqual([])
    expect(found(entries, 'lnk')).toEqual([])
  })

  test('finds an id only by its beginning, and shows it then', () => {
    const server = entry('everything', { recordId: 'srv_01m8jemwmz' })
    const unnamed = entry('run_01m8aaaa', { recordId: 'run_01m8aaaa' })
    expect(marked([server], 'srv_01')).toEqual(['everything · [srv_01]m8jemwmz'])
    for (const query of ['01m8', 'srv', 's01m', 'jemw']) expect(found([server], query)).toEqual([])
    expect(found([unnamed], 'run_01m8')).toEqual(['run_01m8aaaa'])
    for (const query of ['r01a', '01m8', 'aaaa']) expect(found([unnamed], query)).toEqual([])
  })

  test('marks the matched text', () => {
    const runs = entry('eval runs', { lead: 'Projects:', about: 'Make it the current project and open its eval runs' })
    expect(marked([runs], 'eval')[0]).toMatch(/^Projects: \[eval\] runs ·/)
    expect(marked([runs], 'er')[0]).toMatch(/^Projects: \[e\]val \[r\]uns ·/)
    expect(marked([runs], 'pro eval')[0]).toMatch(/^\[Pro\]jects: \[eval\] runs ·/)
    expect(marked([runs], 'current op')[0]).toBe(
      'Projects: eval runs · Make it the [current] project and [op]en its eval runs',
    )
  })

  test('finds a command only by its word followed by a name', () => {
    const entries = [entry('nord'), ...commandEntries('theme', [entry('nord'), entry('monochrome')])]
    const commands = (query: string): string[] =>
      rankEntries(entries, query).flatMap(each => (each.entry.command === undefined ? [] : each.entry.name))
    for (const query of ['', 'nord', 'theme', 'themes nord']) expect(commands(query)).toEqual([])
    expect(commands('theme ')).toEqual(['nord', 'monochrome'])
    expect(found(entries, 'theme no')[0]).toBe('nord')
    expect(commands('THEME   mono')).toEqual(['monochrome'])
  })

  test('puts the action on the typed key first', () => {
    const quit = entry('quit', { keys: ['q', 'Ctrl+C'] })
    expect(found([entry('q'), quit], 'q')[0]).toBe('quit')
    expect(found([entry('q'), quit], ' Ctrl+C')[0]).toBe('quit')
    expect(found([quit], '+C')).toEqual([])
  })

  test('lists entries that do the same once, at the first position', () => {
    expect(found([entry('Runs', { id: 'go' }), entry('runs', { id: 'go' })], 'runs')).toEqual(['Runs'])
  })

  test('never invents or repeats an entry, loses none without a text, and marks only existing characters', () => {
    const text = fc.string({ maxLength: 12, unit: 'grapheme' })
    fc.assert(
      fc.property(fc.uniqueArray(text), text, text, (texts, about, query) => {
        const entries = texts.map(each => entry(each, { about, recordId: about }))
        const ranked = rankEntries(entries, query)
        expect(new Set(ranked.map(each => each.entry)).size).toBe(ranked.length)
        for (const { entry: each, line, matched } of ranked) {
          expect(entries).toContain(each)
          for (const at of matched) expect(at).toBeLessThan(line.length)
        }
        if (/^\s*(?::\s*)?$/.test(query)) expect(ranked.map(each => each.entry)).toEqual(entries)
      }),
    )
  })

  test('always finds an entry that begins with the text, before other entries', () => {
    const word = fc.stringMatching(/^[a-z]{2,8}$/)
    fc.assert(
      fc.property(
        fc.uniqueArray(word, { minLength: 1 }),
        fc.nat(),
        fc.integer({ min: 2, max: 8 }),
        (words, at, length) => {
          const query = words[at % words.length]!.slice(0, length)
          const beginning = words.filter(each => each.startsWith(query))
          const all = found(
            words.map(each => entry(each)),
            query,
          )
          expect(new Set(all.slice(0, beginning.length))).toEqual(new Set(beginning))
        },
      ),
    )
  })
})
