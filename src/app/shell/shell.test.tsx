import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestApp } from '../../../test/harness.tsx'
import { confirmKeys, panesKeys } from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { projectsKeys } from '../../screens/projects/bindings.ts'
import { nowRoute } from '../../screens/now/route.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { displayKey } from '../../tui/keymap/binding.ts'
import { screens } from '../registry.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { helpKeys } from './app-keys.ts'

let app: TestApp
afterEach(() => app.close())

const SUITE = 'Reference server smoke'

async function openRuns(
  options: { readOnly?: boolean; size?: { width: number; height: number } } = {},
): Promise<TestApp> {
  app = await openApp({
    ...options,
    place: async client => runsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
  })
  await app.see(`▌${SUITE}`)
  return app
}

describe('a place whose project does not exist', () => {
  test('opens the only project instead, and going back does not return to it', async () => {
    app = await openApp({ place: runsRoute.to({ projectId: 'prj_gone', runId: 'run_1', pane: 'run' }) })
    await app.see('The project of this place no longer exists, or this key cannot see it. This is Sandbox.')
    await app.see(`▌${SUITE}`)
    const { items } = await app.client.projects.list()
    expect(app.router.current().params.projectId).toBe(items[0]!.id)
    expect(app.router.last()).toBe(false)
  })

  test('opens the project with this name, as commands accept it', async () => {
    app = await openApp({
      place: async client => {
        await client.projects.create({ body: { name: 'Another' } })
        return runsRoute.to({ projectId: 'Sandbox' })
      },
    })
    await app.see(`▌${SUITE}`)
    const { items } = await app.client.projects.list()
    expect(app.router.current().params.projectId).toBe(items.find(({ name }) => name === 'Sandbox')!.id)
  })

  test('opens the list of projects if there are several', async () => {
    app = await openApp({
      place: async client => {
        await client.projects.create({ body: { name: 'Another' } })
        return runsRoute.to({ projectId: 'prj_gone' })
      },
    })
    await app.see('The project of this place no longer exists, or this key cannot see it. Choose another.')
    await app.see('Another')
    expect(app.router.current().screen).toBe('projects')
    app.router.go(runsRoute.to())
    await app.see('No project is chosen, so there are no runs to show.')
    const chosen = await app.see(/▌\S+ .*prj_\w+/)
    await app.press('enter')
    await app.see('› Runs')
    expect(chosen).toContain(app.router.current().params['projectId'])
  })
})

describe('the project named at the start', () => {
  const withAnother = async (client: TestApp['client']) => {
    const { id } = await client.projects.create({ body: { name: 'Another' } })
    return id
  }

  test('is selected in the list by its name, and an unknown name is reported', async () => {
    app = await openApp({
      project: 'Another',
      place: async client => {
        await withAnother(client)
        return projectsRoute.to({ projectId: 'Another' })
      },
    })
    await app.see('▌Another')
    await app.close()
    app = await openApp({ project: 'Nosuch', place: projectsRoute.to({ projectId: 'Nosuch' }) })
    await app.see('There is no project "Nosuch", or this key cannot see it.')
  })

  test('is still used when other screens open, whatever line of Now is selected in between', async () => {
    let another = ''
    app = await openApp({
      project: 'Another',
      place: async client => {
        another = await withAnother(client)
        return serversRoute.to({ projectId: another })
      },
    })
    await app.see('Another › Servers')
    const sandbox = (await app.client.projects.list()).items.find(({ name }) => name === 'Sandbox')!
    // A line of Now leads to its project in the same way.
    app.router.go(nowRoute.to({ projectId: sandbox.id }))
    await app.see('[1 Now')
    await app.press('3')
    await app.see('Another › Servers')
    expect(app.router.current().params.projectId).toBe(another)
  })
})

describe('help', () => {
  test('lists every binding that works, with its keys', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.press(appKeys.bindings.help)
    let help = await app.see('What works here')
    for (let before = ''; before !== app.frame();) {
      before = app.frame()
      await app.press('pagedown')
      help += `\n${app.frame()}`
    }
    const lines = help.split('\n')
    for (const group of [listKeys, projectsKeys, panesKeys, appKeys]) {
      expect(help).toContain(group.title)
      for (const binding of Object.values(group.bindings)) {
        const what = binding.help ?? binding.label
        const keys = binding === panesKeys.bindings.jump ? 'Alt+1 … Alt+9' : binding.keys.map(displayKey).join(' ')
        const isListed = lines.some(line => line.includes(keys) && line.includes(what))
        expect(isListed, `${group.name}: ${keys} ${what}`).toBe(true)
      }
    }
    expect(help).toContain('(Choose a column to sort by first.)')
  })

  test('blocks the keys of the page below until it closes', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.press(appKeys.bindings.help)
    await app.see('What works here')
    await app.press(projectsKeys.bindings.open, projectsKeys.bindings.runs, '3')
    expect(app.router.current().screen).toBe('projects')
    await app.press(helpKeys.bindings.close)
    await app.see(frame => !frame.includes('What works here'))
    await app.press(projectsKeys.bindings.open)
    await app.see('[3 Servers]')
    await app.press(appKeys.bindings.last)
    await app.see('[2 Projects]')
  })
})

describe('keys known from other programs', () => {
  const everythingIsRead = (): Promise<string> => app.see(/▌everything +stdio/)

  test('Esc at the top of a screen changes nothing and shows nothing', async () => {
    const place = async (client: TestApp['client']) =>
      serversRoute.to({ projectId: (await client.projects.list()).items[0]!.id })
    app = await openApp({ place })
    await everythingIsRead()
    for (const key of ['2', '3', '4', '1']) {
      await app.press(key)
      const here = app.router.current()
      await app.press('escape', 'escape')
      expect(app.router.current()).toEqual(here)
    }
    await app.press(appKeys.bindings.messages)
    await app.see('No messages in this session yet.')
  })

  test('F1 opens and closes help, even from a text field', async () => {
    await openRuns()
    await app.press('f1')
    await app.see('What works here')
    await app.press('f1')
    await app.see(frame => !frame.includes('What works here'))
    await app.press(listKeys.bindings.filter)
    await app.type('smo')
    await app.press('f1')
    await app.see('What works here')
  })

  test('Ctrl+R refreshes what is on the screen, and restarts no server', async () => {
    let restarts = 0
    let reads = 0
    const testService = await openService({
      wrap: answer => async request => {
        if (request.url.includes('/restart')) restarts += 1
        if (/\/servers(?:\?|$)/.test(request.url)) reads += 1
        return await answer(request)
      },
    })
    onTestFinished(testService.close)
    app = await openApp({
      testService,
      place: async client => serversRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
    })
    await everythingIsRead()
    const before = reads
    await app.press('ctrl+r')
    await app.see(() => reads > before)
    expect(restarts).toBe(0)
  })

  test('the key 0 shows all projects', async () => {
    await openRuns()
    await app.press('0')
    await app.see('[2 Projects]')
    expect(app.router.current()).toMatchObject({ screen: 'projects' })
  })
})

describe('Ctrl+S submits', () => {
  test('a search and a filter, just as it submits a form', async () => {
    await openRuns()
    await app.press(appKeys.bindings.help)
    await app.press(helpKeys.bindings.filter)
    await app.type('theme')
    await app.press('ctrl+s')
    await app.press(helpKeys.bindings.close)
    await app.see('page down')
    await app.press(helpKeys.bindings.close, listKeys.bindings.filter)
    await app.type('smoke')
    await app.press('ctrl+s')
    await app.press('?')
    await app.see('What works here')
  })
})

describe('a notice in the footer', () => {
  test('of one line is shown in the border of the page, and every key of the footer stays in place', async () => {
    await openRuns()
    const keysOf = (frame: string): string | undefined => frame.split('\n').at(-1)
    const rowsOf = (frame: string): string[] => frame.split('\n')
    const before = await app.see('has not run yet')
    await app.press(appKeys.bindings.mouse)
    const shown = await app.see('! There is no mouse here.')
    expect(keysOf(shown)).toBe(keysOf(before))
    expect(rowsOf(shown).at(-2)).toMatch(/^╰─ ! There is no mouse here\. [─┴]+╯$/)
    expect(rowsOf(shown).slice(0, -2)).toEqual(rowsOf(before).slice(0, -2))
  })

  test('never hides the key that leaves a dialog, even if there is little room', async () => {
    await openRuns({ size: { width: 60, height: 24 } })
    await app.press(runsKeys.bindings.launch)
    await app.see('As configured')
    await app.see(/Esc cancel/)
    await app.press(appKeys.bindings.stop)
    const shown = await app.see('! Nothing is running.')
    expect(shown.split('\n').at(-1)).toContain('Esc cancel')
  })

  test('of several lines is shown above the keys', async () => {
    await openRuns({ size: { width: 60, height: 24 } })
    await app.press(appKeys.bindings.copyLink)
    const shown = await app.see('Copied the link:')
    expect(shown.split('\n').at(-1)).toContain('? help')
    expect(shown.split('\n').at(-1)).not.toContain('Copied')
  })
})

describe('help with a filter', () => {
  test('shows the lines with the text, and Esc clears the filter before it closes', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.press(appKeys.bindings.help)
    await app.see('What works here')
    await app.press(helpKeys.bindings.filter)
    await app.type('copy link')
    const help = await app.see(frame => !frame.includes('page down'))
    expect(help).toContain('Copy a locator of this place')
    await app.press('enter')
    await app.press(helpKeys.bindings.close)
    await app.see('page down')
    await app.press(helpKeys.bindings.filter)
    await app.type('nothing such')
    await app.see('No key here matches “nothing such”.')
    await app.press('escape', helpKeys.bindings.close)
    await app.see(frame => !frame.includes('What works here'))
  })
})

describe('the first key of a sequence', () => {
  test('shows the possible next keys in the footer, and the next key runs its action', async () => {
    app = await openApp({
      place: async client => projectsRoute.to({ projectId: (await client.projects.list()).items[0]!.id }),
    })
    await app.see('▌Sandbox')
    await app.press(',')
    await app.see(/ ,   , all screens {2}n now {2}p projects {2}s servers {2}r runs/)
    await app.press('r')
    await app.see('[4 Runs]')
    await app.press(',', 'x')
    await app.see('Nothing is on , x.')
  })
})

describe('the list of actions', () => {
  test('contains actions of the screen and of the selected item, without navigation keys', async () => {
    await openRuns()
    await app.press(appKeys.bindings.actions)
    const frame = await app.see('What can be done here')
    expect(frame).toContain('Runs: launch')
    expect(frame).toContain('copy id')
    expect(frame).toContain('(No run that is in flight is chosen.)')
    for (const other of ['page down', 'next pane', 'quit', 'Go to']) expect(frame).not.toContain(other)
    await app.type('launch')
    await app.press('enter')
    await app.see('Launch 15 trials')
  })
})

describe('a question to the person', () => {
  test('starts on Cancel, blocks the keys of the page, and is declined with Esc', async () => {
    await openRuns()
    await app.press(runsKeys.bindings.launch)
    await app.see('Launch 15 trials')
    await app.press('enter')
    await app.press('enter')
    await app.see('● running')
    await app.press(runsKeys.bindings.cancel)
    const asked = await app.see('❯ Keep it running')
    expect(asked).not.toContain('Launched')
    expect(asked).toContain(`${displayKey(confirmKeys.bindings.cancel.keys[0]!)} cancel`)
    await app.press('3', appKeys.bindings.help, runsKeys.bindings.launch)
    expect(app.frame()).toContain('❯ Keep it running')
    expect(app.frame()).not.toContain('What works here')
    await app.press(confirmKeys.bindings.cancel)
    await app.see(frame => !frame.includes('Keep it running'))
    await app.see('✗ failed, 9/10 case executions passed')
  })
})

describe('the frame of the program', () => {
  test('a pane that fails does not affect the others', async () => {
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

  test('names the place from the first frame of a screen', async () => {
    app = await openApp({ place: projectsRoute.to() })
    await app.see('▌Sandbox')
    await app.see('all but: delete any')
    await app.press(projectsKeys.bindings.open)
    await app.see('Sandbox › Servers › everything')
    await app.press('4')
    await app.see(`Sandbox › Runs › ${SUITE}`)
  })

  test('a prefix key shows all keys that can follow, even if one row is too short for them', async () => {
    app = await openApp({ place: projectsRoute.to(), size: { width: 80, height: 24 } })
    await app.see('▌Sandbox')
    await app.press(',')
    const frame = await app.see('Esc nothing')
    const shown = frame.replaceAll(/\s+/g, ' ')
    for (const { goKey, goLabel, title } of screens)
      expect(shown).toContain(` ${goKey} ${goLabel ?? title.toLowerCase()} `)
    expect(frame.split('\n')).toHaveLength(24)
    await app.press('n')
    await app.see('[1 Now')
  })

  test('read-only refuses a launch in one complete sentence even if the row is short, and asks nothing', async () => {
    await openRuns({ readOnly: true, size: { width: 64, height: 20 } })
    await app.see('read-only')
    await app.press(runsKeys.bindings.launch)
    const frame = await app.see(/ ! This session is read-only: .+\n +nothing\./)
    expect(frame.split('\n')).toHaveLength(20)
    expect(frame).toContain('╯')
    expect(app.frame()).not.toContain('❯ Cancel')
  })
})
