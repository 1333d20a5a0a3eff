import { afterAll, afterEach, beforeAll } from 'vitest'
import { isTerminalRunStatus } from '../src/api/contract/runs.ts'
import type { Fetch } from '../src/api/client/transport/fetch.ts'
import { createPins, type Pins } from '../src/domain/runs/pins.ts'
import { formKeys } from '../src/components/form/form-keys.ts'
import { runsKeys } from '../src/screens/runs/bindings.ts'
import { runsRoute } from '../src/screens/runs/route.ts'
import { openApp, openService, type TestApp, type TestService } from './harness.tsx'
import { launchStage } from './launch-stage.ts'
import { until } from './service/harness.ts'

type Answer = { status: number; body: object }
/** Answers the next request whose `METHOD path` ends like this, in place of the service. */
export const doubles = new Map<string, Answer>()
/** The bodies of all launches that were sent. */
export const sent: Record<string, unknown>[] = []

/** Set to make every read hang once a write was answered. */
export const line = { stallsAfterWrites: false, isStalled: false }

const stalling =
  (fetch: Fetch): Fetch =>
  async request => {
    if (request.method === 'GET' && line.isStalled) return await new Promise<never>(() => undefined)
    const answer = await fetch(request)
    if (request.method !== 'GET') line.isStalled ||= line.stallsAfterWrites
    return answer
  }

const double =
  (fetch: Fetch): Fetch =>
  async request => {
    const path = `${request.method} ${new URL(request.url).pathname}`
    if (request.method === 'POST' && /\/eval-run(s|-groups)$/.test(path))
      sent.push(JSON.parse(typeof request.body === 'string' ? request.body : '') as Record<string, unknown>)
    const [end, answer] = [...doubles].find(([name]) => path.endsWith(name)) ?? []
    if (end === undefined || !answer) return await fetch(request)
    doubles.delete(end)
    return new Response(JSON.stringify(answer.body), {
      status: answer.status,
      headers: { 'content-type': 'application/json' },
    })
  }

export let service: TestService
export let stage: Awaited<ReturnType<typeof launchStage>>
export let app: TestApp
export let pins: Pins

/** Opens a service with one run slot for the tests of a file, and leaves nothing in flight after each test. */
export function withLaunchForms(): void {
  beforeAll(async () => {
    service = await openService({ maxConcurrentRuns: 1, wrap: fetch => stalling(double(fetch)) })
    stage = await launchStage(service.client)
  })
  afterAll(() => service.close())
  afterEach(async () => {
    await app.close()
    doubles.clear()
    Object.assign(line, { stallsAfterWrites: false, isStalled: false })
    sent.length = 0
    const { projectId } = stage
    for (const { latestRun } of (await service.client.suites.list({ projectId })).items)
      if (latestRun?.id && !isTerminalRunStatus(latestRun.status ?? ''))
        await service.client.runs.cancel({ projectId, runId: latestRun.id }).catch(() => undefined)
  })
}

export const runsOf = async (suiteId: string) =>
  (await service.client.runs.list({ projectId: stage.projectId, suiteId })).items

export async function allEnded(suiteId: string): Promise<void> {
  await until(
    () => runsOf(suiteId),
    runs => runs.every(run => isTerminalRunStatus(run.status)),
  )
}

/** Runs the suite to its end. */
export async function ranOnce(suiteId: string): Promise<void> {
  await service.client.runs.create({ projectId: stage.projectId, body: { suiteId } })
  await allEnded(suiteId)
}

export async function openForm(name: string, suiteId: string): Promise<void> {
  pins = createPins()
  sent.length = 0
  const place = runsRoute.to({ projectId: stage.projectId, suiteId })
  app = await openApp({ testService: service, place, pins })
  await app.see(`▌${name}`)
  await app.press(runsKeys.bindings.launch)
  await app.see('▌ As configured')
}

/** Moves down to the field with this label. */
export async function goTo(label: string): Promise<void> {
  for (let tries = 0; tries < 24; tries += 1) {
    if (app.frame().includes(`▌ ${label}`)) return
    await app.press(formKeys.bindings.next)
  }
  throw new Error(`no field ${label}; the screen was:\n${app.frame()}`)
}

/** Returns the frame as one line, so that a wrapped sentence can be found. */
export const words = (): string => app.frame().replaceAll(/[│\s]+/g, ' ')

export async function seeWords(text: string): Promise<void> {
  await app.see(() => words().includes(text))
}
