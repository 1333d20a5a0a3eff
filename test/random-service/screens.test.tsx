import { describe, expect, onTestFinished, test } from 'vitest'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import { API_PREFIX } from '../../src/api/contract/contract.ts'
import { screens } from '../../src/app/registry.ts'
import { tabsKeys } from '../../src/components/component-keys.ts'
import { readOpenApi } from '../contract/openapi.ts'
import { openApp, openService } from '../harness.tsx'
import { expectSane } from '../sane-frames.ts'
import { until } from '../service/harness.ts'
import { createAnswers } from './service.ts'

const document = readOpenApi()
const SIZES = [
  { width: 60, height: 20 },
  { width: 120, height: 40 },
]
const SEEDS = (process.env['RANDOM_SEEDS'] ?? '1').split(' ').map(Number)
const ROWS = 2
const TABS = 3

/**
 * Returns a client with random answers. Its list of projects never changes, because a screen leaves a project that is
 * gone.
 */
function randomClient(seed: number) {
  const { answer, answered } = createAnswers(document, seed)
  const projects = answer('GET', `${API_PREFIX}/projects`)
  const client = createClient({
    async fetch({ method, url }) {
      const { origin, pathname } = new URL(url)
      const isProjects = method === 'GET' && pathname === `${API_PREFIX}/projects`
      const { status, text } = isProjects ? projects : answer(method, url.slice(origin.length))
      return new Response(text, { status, headers: { 'content-type': 'application/json', 'retry-after': '1' } })
    },
    baseUrl: `http://random.invalid${API_PREFIX}`,
    key: 'sk_random_service_0123456789abcdef',
    budget: createBudget({ unlimited: true }),
  })
  const projectId = (JSON.parse(projects.text) as { items: { id: string }[] }).items[0]!.id
  return { client, answered, projectId }
}

describe('random answers within the documented shapes', () => {
  test.each(screens)(
    'neither break $title nor make it show nonsense',
    { timeout: 60_000 * SEEDS.length },
    async screen => {
      const service = await openService()
      onTestFinished(service.close)
      for (const seed of SEEDS)
        // One size for a screen and seed, in turn: a second size would show the same answers again.
        for (const size of [SIZES[(screens.indexOf(screen) + seed) % SIZES.length]!]) {
          const { client, answered, projectId } = randomClient(seed)
          const hosted = { openBrowser: async () => undefined }
          const place = screen.route.to({ projectId })
          const app = await openApp({ testService: { ...service, client }, size, place, hosted })
          /** Waits until nothing more is requested, and every answer is on screen. */
          const rest = async (): Promise<void> => {
            let before = -1
            await until(
              () => before === (before = answered()),
              isSame => isSame,
            )
            expectSane(app, { size })
          }
          await rest()
          expect(app.router.current().screen).toBe(screen.route.screen)
          for (let row = 0; row < ROWS; row += 1) {
            await app.press('enter')
            for (let tab = 0; tab < TABS; tab += 1) {
              await rest()
              await app.press(tabsKeys.bindings.next)
            }
            await app.press('escape', 'escape', 'down')
            await rest()
          }
          await app.close()
        }
    },
  )
})
