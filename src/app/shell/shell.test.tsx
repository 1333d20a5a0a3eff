import { afterEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { confirmKeys, panesKeys } from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { projectsKeys } from '../../screens/projects/bindings.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { displayKey } from '../keymap/binding.ts'
import { appKeys, helpKeys } from './app-keys.ts'

let app: TestApp
afterEach(() => app.close())

const SUITE = 'Reference server smoke'

async function openRuns(options: { readOnly?: boolean } = {}): Promise<TestApp> {
  app = await openApp({
    ...options,
    place: async client => runsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  await app.see(`▌${SUITE}`)
  return app
}

describe('help', () => {
  test('lists every binding that works, with its keys', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.press(appKeys.bindings.help)
    const help = await app.see('What works here')
    const lines = help.split('\n')
    for (const group of [listKeys, projectsKeys, panesKeys, appKeys]) {
      expect(help).toContain(group.title)
      for (const binding of Object.values(group.bindings)) {
        const what = binding.help ?? binding.label
        const keys = binding.keys.slice(0, 3).map(displayKey).join(' ')
        expect(lines.some(line => line.includes(keys) && line.includes(what))).toBe(true)
      }
    }
    expect(help).toContain('(Choose a column to sort by first.)')
  })

  test('stops the keys of the page beneath until it closes', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.press(appKeys.bindings.help)
    await app.see('What works here')
    await app.press(projectsKeys.bindings.open, projectsKeys.bindings.runs, '2')
    expect(app.router.current().screen).toBe('projects')
    await app.press(helpKeys.bindings.close)
    await app.see(frame => !frame.includes('What works here'))
    await app.press(projectsKeys.bindings.open)
    await app.see('[2 Servers]')
  })
})

describe('a question', () => {
  test('starts on Cancel, takes the page’s keys away, and Esc declines', async () => {
    await openRuns()
    await app.press(runsKeys.bindings.launch)
    await app.see('❯ Cancel')
    await app.press('2', appKeys.bindings.help, runsKeys.bindings.launch)
    expect(app.frame()).toContain('❯ Cancel')
    expect(app.frame()).not.toContain('What works here')
    await app.press(confirmKeys.bindings.cancel)
    await app.see(frame => !frame.includes(`Launch ${SUITE}?`))
    expect(app.row(`▌${SUITE}`)).toMatch(/— +— *│/)
  })
})

describe('the frame', () => {
  test('a failing pane leaves the others alone', async () => {
    const testService = await openService({
      wrap: fetch => async request =>
        new URL(request.url).pathname.endsWith('/capabilities')
          ? Response.json({ code: 'FORBIDDEN', message: 'Not yours.' }, { status: 403 })
          : await fetch(request),
    })
    try {
      app = await openApp({ testService, place: projectsRoute.to() })
      const frame = await app.see('✗ Not allowed')
      expect(frame).toContain('▌Sandbox')
      await app.press(projectsKeys.bindings.open)
      await app.see('▌everything')
    } finally {
      await testService.close()
    }
  })

  test('names the place from the first frame of a screen on', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.see('launch eval run')
    await app.press(projectsKeys.bindings.open)
    await app.see('Sandbox › Servers › everything')
    await app.press('3')
    await app.see(`Sandbox › Runs › ${SUITE}`)
  })

  test('read-only refuses a launch in one sentence, and nothing is asked', async () => {
    await openRuns({ readOnly: true })
    await app.see('read-only')
    await app.press(runsKeys.bindings.launch)
    await app.see('This profile is read-only; runs are neither launched nor cancelled.')
    expect(app.frame()).not.toContain('❯ Cancel')
  })
})
