import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { openApp, openService, type TestService } from '../../test/harness.tsx'
import { settled } from '../../test/sane-frames.ts'
import { until } from '../../test/service/harness.ts'
import type { Fetch } from '../api/client/transport/fetch.ts'
import { allEndpoints, API_PREFIX } from '../api/contract/contract.ts'
import { findingsRoute } from '../screens/findings/route.ts'
import { nowRoute } from '../screens/now/route.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { scenariosRoute } from '../screens/scenarios/route.ts'
import { swarmsRoute } from '../screens/swarms/route.ts'
import { GATE_NAMES } from '../service/core/limits.ts'
import { setGate } from '../service/core/organization-limits.ts'
import type { ScreenDeclaration } from '../tui/router/screen.ts'
import { screens } from './registry.ts'

/** Paths that are empty while their feature is off. */
const GATED = allEndpoints()
  .filter(({ method, gate }) => method === 'GET' && gate !== undefined)
  .map(({ path }) => new RegExp(`^${API_PREFIX}${path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`))

let service: TestService
let place: { projectId: string; organizationId: string }
let reads: string[] = []

/** The real service, which records reads of features that can be switched off. */
const noting =
  (fetch: Fetch): Fetch =>
  async request => {
    const { pathname } = new URL(request.url)
    if (request.method === 'GET' && GATED.some(path => path.test(pathname))) reads.push(pathname)
    return await fetch(request)
  }

beforeAll(async () => {
  service = await openService({ samples: true, wrap: noting })
  const { id: projectId, organizationId } = (await service.client.projects.list()).items[0]!
  place = { projectId, organizationId: organizationId! }
  const visits = () => service.client.sessions.list({ projectId, sourceType: 'scenario' })
  await until(visits, ({ items }) => items.length > 0)
})
afterAll(() => service.close())

function switchAll(state: 'on' | 'off'): void {
  for (const gate of GATE_NAMES) setGate(service.service.store, place.organizationId, gate, state)
}

async function open({ route }: ScreenDeclaration) {
  const app = await openApp({
    testService: service,
    size: { width: 1000, height: 24 },
    aloud: true,
    place: route.to(route === projectsRoute ? {} : { projectId: place.projectId }),
    hosted: { openBrowser: async () => undefined },
  })
  onTestFinished(app.close)
  await settled(app)
  return app
}

/** The screen Now covers many projects, and names those that it cannot cover completely. */
const SAYS_IT_ITSELF = [nowRoute]
const GATED_ROUTES = [findingsRoute, scenariosRoute, swarmsRoute]

test.each(screens)('the screen $title gives the reason of the service why something is empty', async screen => {
  reads = []
  const app = await open(screen)
  await app.close()
  const isGated = GATED_ROUTES.some(route => route === screen.route)
  if (!SAYS_IT_ITSELF.some(route => route === screen.route)) expect(reads.length > 0, reads.join(', ')).toBe(isGated)
  if (!isGated) return
  switchAll('off')
  onTestFinished(() => switchAll('on'))
  const { features } = await service.client.projects.capabilities({ projectId: place.projectId })
  const reason = features!.sandboxes!.reason!
  const closed = await open(screen)
  await closed.see(frame => reason.length > 0 && frame.includes(reason))
})
