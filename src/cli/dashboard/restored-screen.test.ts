import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { PATIENCE } from '../../../test/patience.ts'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { createRouter } from '../../tui/router/router.ts'
import { readLastScreen } from './last-screen.ts'
import { passScreenOn } from './restored-screen.ts'

test('a start that names its place stores no screen without data, however long the data takes', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-restored-screen-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lastScreenFile = join(folder, 'last-screen.json')
  const queryClient = createQueryClient()
  const answered = Promise.withResolvers<string>()
  const rows = ['header', 'Reading the saved servers…', '']
  const screen = { columns: 40, rows: 3, snapshot: () => [...rows], release: vi.fn<() => void>() }
  const { keepScreen } = passScreenOn({ lastScreenFile, namesPlace: true, log: { error: expect.unreachable } }, false, {
    screen,
    router: createRouter({ screen: 'servers', params: {} }),
    queryClient,
  })
  const read = queryClient.fetchQuery({ queryKey: ['servers'], queryFn: () => answered.promise })
  await vi.advanceTimersByTimeAsync(60_000)
  expect(screen.release).toHaveBeenCalledOnce()

  rows[1] = '▌everything'
  answered.resolve('everything')
  await read
  await vi.advanceTimersByTimeAsync(60_000)
  const stored = (): string | undefined => {
    keepScreen()
    return readLastScreen(lastScreenFile)?.lines[1]
  }
  await vi.waitFor(() => expect(stored()).toBe('▌everything'), PATIENCE)
})

test('a start that names its place stores no screen that a busy machine has not drawn yet', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-restored-screen-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const lastScreenFile = join(folder, 'last-screen.json')
  const queryClient = createQueryClient()
  const rows = ['header', 'Waiting for the projects…', '']
  const screen = { columns: 40, rows: 3, snapshot: () => [...rows], release: vi.fn<() => void>() }
  const { keepScreen } = passScreenOn({ lastScreenFile, namesPlace: true, log: { error: expect.unreachable } }, false, {
    screen,
    router: createRouter({ screen: 'servers', params: {} }),
    queryClient,
  })
  const drawn = Promise.withResolvers<void>()
  const readServers = async (): Promise<void> => {
    await queryClient.fetchQuery({ queryKey: ['servers'], queryFn: async () => 'everything' })
    rows[1] = '▌everything'
    drawn.resolve()
  }
  const unsubscribe = queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.state.data === undefined) return
    unsubscribe()
    // As React does: one task renders, which takes long here, and the next one requests what the new screen needs.
    setImmediate(() => {
      const begun = performance.now()
      while (performance.now() - begun < 100);
      setImmediate(() => void readServers())
    })
  })
  await queryClient.fetchQuery({ queryKey: ['projects'], queryFn: async () => 'Sandbox' })
  await drawn.promise
  await vi.waitFor(() => expect(screen.release).toHaveBeenCalled(), PATIENCE)
  keepScreen()
  expect(readLastScreen(lastScreenFile)?.lines[1]).toBe('▌everything')
})
