import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../test/harness.tsx'
import { helpKeys } from '../app/shell/app-keys.ts'
import { serversKeys } from '../screens/servers/bindings.ts'
import { serversRoute } from '../screens/servers/route.ts'
import type { Binding } from '../tui/keymap/binding.ts'
import { foldKeys } from './component-keys.ts'
import { appKeys } from './everywhere-keys.ts'
import { jsonOverlayKeys } from './json/json-keys.ts'

let testService: TestService
let projectId: string
let app: TestApp
beforeAll(async () => {
  testService = await openService()
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterAll(() => testService.close())
afterEach(() => app.close())

async function openServers(): Promise<void> {
  app = await openApp({ testService, place: serversRoute.to({ projectId }), size: { width: 100, height: 50 } })
  await app.see('▌everything')
}

/** Returns the rows of the frame with this title, without its borders and without what is beside it. */
function inside(title: string): string[] {
  const rows = app.frame().split('\n')
  const top = rows.findIndex(row => row.includes(`╭▌${title}`))
  const left = rows[top]!.indexOf(`╭▌${title}`)
  const bottom = rows.findIndex((row, index) => index > top && row[left] === '╰')
  const right = rows[bottom]!.indexOf('╯', left)
  return rows.slice(top + 1, bottom).map(row => row.slice(left + 1, right).trim())
}

describe('the height of an overlay', () => {
  async function open(key: Binding, title: string): Promise<void> {
    await app.press(key)
    await app.see(`╭▌${title}`)
  }

  test('fits a question, with a row for an error in the typed word', async () => {
    await openServers()
    await open(serversKeys.bindings.remove, 'Remove server "everything"?')
    expect(inside('Remove server').at(-2)).toBe('>')
    await app.type('no')
    await app.press('enter')
    await app.see('Type “remove” to go on; you typed “no”')
    expect(inside('Remove server').at(-1)).toContain('Type “remove” to go on; you typed “no”')
  })

  test('fits a form, and stays the same in every field', async () => {
    await openServers()
    await open(serversKeys.bindings.add, 'New server')
    expect(inside('New server').slice(-2)).toEqual(['[  Cancel          ]', '[  Save the server ]'])
    const height = inside('New server').length
    expect(height).toBeLessThan(20)
    for (let step = 0; step < 8; step += 1) {
      await app.press('tab')
      const rows = inside('New server')
      expect(rows).toHaveLength(height)
      expect(rows.at(-1)).toContain('Save the server')
      expect(rows.at(-2)).toContain('Cancel')
    }
  })

  test('fits the palette, which starts in the same row however many entries match', async () => {
    await openServers()
    await open(appKeys.bindings.palette, 'Palette')
    const topOf = (): number =>
      app
        .frame()
        .split('\n')
        .findIndex(row => row.includes('╭▌Palette'))
    const top = topOf()
    expect(inside('Palette').length).toBeLessThan(25)
    await app.type('server')
    const found = inside('Palette').slice(2)
    expect(found.length).toBeGreaterThan(1)
    expect(found).not.toContain('')
    await app.type('zzz')
    expect(inside('Palette').slice(2)).toEqual(['Nothing fits.'])
    expect(topOf()).toBe(top)
    // The page is visible again where the palette no longer covers it.
    expect(app.frame()).toContain('Enabled')
  })

  test('fits help with a filter', async () => {
    await openServers()
    await open(appKeys.bindings.help, 'What works here')
    await app.press(helpKeys.bindings.filter)
    await app.type('theme')
    await app.press('enter')
    await app.see(frame => !frame.includes('page down'))
    expect(inside('What works here')).toContainEqual(expect.stringContaining('Choose the colours'))
    expect(inside('What works here').length).toBeLessThan(7)
  })

  test('fits a record, folded and unfolded', async () => {
    await openServers()
    await open(appKeys.bindings.raw, 'server srv_')
    const whole = inside('server srv_')
    expect([whole[0], whole.at(-1)]).toEqual(['▌▾ {', '}'])
    await app.press(foldKeys.bindings.fold)
    await app.see(frame => !frame.includes('"transport'))
    expect(inside('server srv_').length).toBeLessThan(whole.length)
    await app.press(foldKeys.bindings.fold)
    await app.see('"transport')
    expect(inside('server srv_').at(-1)).toBe('}')
    await app.press(jsonOverlayKeys.bindings.close)
  })
})
