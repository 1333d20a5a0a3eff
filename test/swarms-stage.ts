import { onTestFinished } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from './harness.tsx'
import type { ApiRequest, ApiResponse } from '../src/api/contract/message.ts'
import { confirmKeys } from '../src/components/component-keys.ts'
import { swarmsRoute } from '../src/screens/swarms/route.ts'

/** Answers in place of the service, which `pass` forwards to. */
type Instead = (request: ApiRequest, pass: () => Promise<ApiResponse>) => Promise<ApiResponse> | undefined

/**
 * The screen for a project with a client on the reference server and an environment for it; it closes with the test.
 */
export async function openSwarms(options: Parameters<typeof openService>[0] = {}, params: Record<string, string> = {}) {
  const faults: { instead: Instead | undefined } = { instead: undefined }
  const testService: TestService = await openService({
    ...options,
    wrap: fetch => async request => (await faults.instead?.(request, () => fetch(request))) ?? (await fetch(request)),
  })
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const [server] = (await client.servers.list({ projectId })).items
  const config = { modelId: 'small', serverIds: [server!.id] }
  const host = await client.clients.create({ projectId, body: { name: 'Desk', config } })
  const environmentId = (await client.environments.create({ projectId, body: { name: 'Nightly', hostId: host.id } })).id
  const app: TestApp = await openApp({
    testService,
    place: swarmsRoute.to({ projectId, swarmId: projectId, ...params }),
  })
  onTestFinished(async () => {
    await app.close()
    await testService.close()
  })
  await app.see(/Whole project/)
  const journeyOf = async (more: object = {}) => {
    const ada = { name: 'Ada', role: 'accountant', notes: 'Brief.' }
    const personaId = (await client.personas.create({ projectId, body: ada })).id
    const environmentIds = [environmentId]
    const body = { name: 'Sums', goal: 'Add 2 and 3', personaId, environmentIds, sessionsPerTarget: 2, maxTurns: 4 }
    return await client.journeys.create({ projectId, body: { ...body, ...more } })
  }
  /** Agrees to a question, after typing the required word. */
  const agree = async (word?: string): Promise<void> => {
    if (word !== undefined) {
      await app.see(`Type “${word}” to go on:`)
      await app.type(word)
      await app.press('enter')
    }
    await app.see('❯ ')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
  }
  return { app, client, testService, projectId, environmentId, faults, journeyOf, agree }
}

/** The place of a tab of the whole project, opened. */
export const inTab = (tab: string) => ({ pane: 'detail', tab })
