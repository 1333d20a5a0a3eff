import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { listKeys } from '../../components/list/list-keys.ts'
import { confirmKeys } from '../../components/component-keys.ts'
import { formKeys } from '../../components/form/form-keys.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import { runsRoute } from '../../screens/runs/route.ts'
import { serversKeys } from '../../screens/servers/bindings.ts'
import { serversRoute } from '../../screens/servers/route.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { taskParts } from './footer.tsx'

let testService: TestService
let projectId: string
let app: TestApp | undefined
/** Delays the answer to a request until the promise resolves. */
let gate: (path: string) => Promise<unknown> | undefined = () => undefined

beforeEach(async () => {
  gate = () => undefined
  testService = await openService({
    wrap: fetch => async request => {
      await gate(new URL(request.url).pathname)
      return await fetch(request)
    },
  })
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterEach(async () => {
  await app?.close()
  app = undefined
  await testService.close()
})

test('a write shows that it began, and then how it ended', async () => {
  const held = Promise.withResolvers<void>()
  app = await openApp({ testService, place: runsRoute.to({ projectId }) })
  await app.see('▌Reference server smoke')
  await app.press(runsKeys.bindings.launch)
  await app.see('As configured')
  gate = path => (path.endsWith('/eval-runs') ? held.promise : undefined)
  await app.press(formKeys.bindings.choose, formKeys.bindings.choose)
  await app.see('● Launching Reference server smoke…')
  await app.press(formKeys.bindings.cancel, appKeys.bindings.stop)
  await app.see('This cannot be stopped; it ends by itself: Launching Reference server smoke…')
  held.resolve()
  await app.see('Launched Reference server smoke.')
})

test('a write that fails shows why and what to do', async () => {
  app = await openApp({ testService, place: runsRoute.to({ projectId }) })
  await app.see('▌Reference server smoke')
  await app.press(runsKeys.bindings.launch)
  await app.see('As configured')
  const [suite] = (await testService.client.suites.list({ projectId })).items
  await testService.client.suites.delete({ projectId, suiteId: suite!.id })
  await app.press(formKeys.bindings.choose, formKeys.bindings.choose)
  await app.see('✗ It does not exist, or this key cannot see it.')
})

describe('the doctor over several servers', () => {
  async function markAll(count: number): Promise<TestApp> {
    for (let index = 1; index < count; index += 1) {
      const body = { name: `off-${index}`, enabled: true, transportType: 'stdio' as const, command: '/nowhere/program' }
      await testService.client.servers.create({ projectId, body })
    }
    const opened = await openApp({ testService, place: serversRoute.to({ projectId }) })
    app = opened
    await opened.see(`of ${count}`)
    for (let index = 0; index < count; index += 1) await opened.press(listKeys.bindings.mark, listKeys.bindings.down)
    await opened.see(`${count} marked`)
    return opened
  }

  test('shows its progress, and ends with the number of problems found', async () => {
    const held = Promise.withResolvers<void>()
    const opened = await markAll(3)
    gate = path => (path.includes('everything') ? undefined : path.endsWith('/doctor') ? held.promise : undefined)
    await opened.press(serversKeys.bindings.doctor)
    await opened.see('● Examining 3 servers… ────────── 0/3  Ctrl+X stop')
    expect(opened.frame()).not.toContain('marked')
    held.resolve()
    await opened.see(/Examined 3 servers: .*1 ready/)
  })

  test('stops on request: checks that have started finish, and no others start', async () => {
    const held = Promise.withResolvers<void>()
    let asked = 0
    const opened = await markAll(6)
    gate = path => {
      if (!path.endsWith('/doctor')) return undefined
      asked += 1
      return held.promise
    }
    await opened.press(serversKeys.bindings.doctor)
    await opened.see('0/6')
    await opened.press(appKeys.bindings.stop)
    await opened.see('Stopping: Examining 6 servers…')
    await opened.press(appKeys.bindings.stop)
    await opened.see('This is being stopped already: Examining 6 servers…')
    held.resolve()
    await opened.see('Stopped after 3 of 6 servers')
    expect(asked).toBe(3)
  })
})

describe('quitting the program', () => {
  let ended = 0
  const open = async (executing?: { kind: string; subjectId: string }[]): Promise<TestApp> => {
    ended = 0
    const opened = await openApp({
      testService,
      place: runsRoute.to({ projectId }),
      quit: () => void (ended += 1),
      ...(executing && { access: { executing: () => executing } }),
    })
    app = opened
    await opened.see('▌Reference server smoke')
    return opened
  }

  test('asks while a write is running, and no longer asks after it', async () => {
    const held = Promise.withResolvers<void>()
    const opened = await open()
    gate = path => (path.endsWith('/eval-runs') ? held.promise : undefined)
    await opened.press(runsKeys.bindings.launch)
    await opened.see('As configured')
    await opened.press(formKeys.bindings.choose, formKeys.bindings.choose)
    await opened.see('● Launching Reference server smoke…')
    await opened.press(formKeys.bindings.cancel, appKeys.bindings.quit)
    await opened.see(/Quit while this is under way\?[^]*Launching Reference server smoke…[^]*This workspace closes/)
    await opened.see('❯ Stay')
    await opened.press(confirmKeys.bindings.choose)
    expect(ended).toBe(0)
    held.resolve()
    await opened.see('Launched Reference server smoke.')
    await opened.press(appKeys.bindings.quit)
    expect(ended).toBe(1)
  })

  test('asks while this process executes runs and other work', async () => {
    const opened = await open(['run', 'run', 'run-insights'].map((kind, index) => ({ kind, subjectId: `${index}` })))
    await opened.press(appKeys.bindings.quit)
    await opened.see(/ends unfinished with it: 2 × run, 1 ×[^]*run insights/)
    await opened.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    expect(ended).toBe(1)
  })
})

test('several tasks are counted, and the one that started last is shown', () => {
  const theme = createTheme({ level: 0, ascii: false })
  const told = (...tasks: Parameters<typeof taskParts>[1]) =>
    taskParts(theme, tasks, 'Ctrl+X')
      .map(({ text }) => text)
      .join('')
  expect(told()).toBe('')
  const first = { id: 1, text: 'Reading…', progress: undefined, stop: undefined, writes: false, isStopping: false }
  const second = {
    ...first,
    id: 2,
    text: 'Exporting \u001b[2J…',
    progress: { done: 5, total: 10, share: 0.5 },
    stop: () => undefined,
  }
  expect(told(first)).toBe(' Reading…')
  expect(told(first, second)).toMatch(/^ 2 under way: Exporting [^\u001b]+… ━━━━━───── 5\/10 {2}Ctrl\+X stop$/)
})
