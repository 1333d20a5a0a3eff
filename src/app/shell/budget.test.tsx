import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { createShares, type Share } from '../../domain/polling/share.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { SPENT_COLUMNS, SPENT_SECONDS } from '../../domain/budget/lines.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { budgetKeys } from './app-keys.ts'

let testService: TestService
let app: TestApp
const save = vi.fn<(screen: string, share: Share) => Promise<void>>()

beforeEach(async () => {
  save.mockReset().mockResolvedValue()
  testService = await openService()
  app = await openApp({ testService, place: projectsRoute.to({}), access: { shares: createShares({}, save) } })
  await app.see('▌Sandbox')
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

test('the palette opens the budget, which shows the screen and purpose of each request', async () => {
  await app.press(appKeys.bindings.palette)
  await app.press(...'budget')
  await app.press('enter')
  await app.see('Request budget')
  await app.see('No limit: the workspace answers in this process.')
  await app.see(/\d+ requests? in the last minute from this machine\s+│\s+│\s+Projects: [^\n]*foreground \d/)
  await app.see(/foreground +[▁▂▃▄▅▆▇ ]* \d+ .*\n.*\n?.*a column is 2 s, the highest is \d/)
  await app.see(/\d+ to \d+ s ago: /)
  const columns = new Set<string>()
  const sent = new Map<string, number>()
  for (let column = 0; column < SPENT_COLUMNS; column++) {
    const { since = '', counts = '' } = /(?<since>\d+ to \d+) s ago: (?<counts>[^│]*)/.exec(app.frame())?.groups ?? {}
    columns.add(since)
    for (const [, count, label] of counts.matchAll(/(\d+) ([a-z ]+)/g))
      sent.set(label!.trim(), Number(count) + (sent.get(label!.trim()) ?? 0))
    await app.press(budgetKeys.bindings.older)
    if (column + 1 < SPENT_COLUMNS) await app.see(`${(column + 1) * SPENT_SECONDS} to `)
  }
  await app.hover('  foreground     ')
  await app.see(`${(SPENT_COLUMNS - 1) * SPENT_SECONDS} to `)
  expect(columns.size).toBe(SPENT_COLUMNS)
  expect(sent.get('foreground')).toBeGreaterThan(0)
  await app.see('0 requests waiting here, 0 in other processes')
  await app.see('reads answered from what was just read')
})

test('a person gives a screen a larger or smaller share, and a failure to save is shown', async () => {
  await app.press(appKeys.bindings.budget)
  await app.see('Projects is read as often as usual.')
  await app.press(budgetKeys.bindings.share)
  await app.see('Projects is read twice as often as usual')
  save.mockRejectedValue(new Error('The disk is full.'))
  await app.press(budgetKeys.bindings.share)
  await app.see('Projects is read a third as often as usual')
  await app.see('Holds for this session only: The disk is full.')
  expect(save.mock.calls).toEqual([
    ['projects', 'more'],
    ['projects', 'less'],
  ])
})
