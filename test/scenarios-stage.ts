import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { createAccessNotes, type AccessNotes } from '../src/domain/scenarios/notes.ts'
import { createVisitorDoor } from '../src/domain/scenarios/visitor-door.ts'
import { createBudget } from '../src/api/client/budget/budget.ts'
import { createClient } from '../src/api/client/client.ts'
import { systemClock } from '../src/lib/clock.ts'
import { API_PREFIX } from '../src/api/contract/contract.ts'
import { plainHeaders } from '../src/api/contract/message.ts'
import { scenarioUrl } from '../src/api/contract/scenarios.ts'
import type { Journal } from '../src/api/client/journal/journal.ts'
import { confirmKeys } from '../src/components/component-keys.ts'
import { scenariosRoute } from '../src/screens/scenarios/route.ts'
import { gateSetting } from '../src/service/core/organization-limits.ts'
import type { ScenarioMode } from '../src/service/scenarios/rows.ts'
import { wordsOf } from './dialog-words.ts'
import { openApp, openService, type TestApp, type TestService } from './harness.tsx'
import { caps, visitor } from './service/visits.ts'

const answer = confirmKeys.bindings
const LISTENING = { status: 401, headers: plainHeaders({}), body: '{"code":"UNAUTHORIZED","message":"No."}' }

/** The scenarios screen with one real service per file, with visitors; nothing is published when a test begins. */
export class ScenariosStage {
  app!: TestApp
  notes!: AccessNotes
  projectId = ''
  /** Whether a service answers at the address of links. */
  isServed = false
  /** Requests to the service, as `GET /api/v1/…`. */
  sent: string[] = []
  /** Runs once, before a request that begins like this is answered. */
  meanwhile: { on: string; run: () => Promise<unknown> } | undefined
  /** Whether a delete is answered with a status only. */
  isBodiless = false
  /** The flag that the capabilities report instead of the workspace's own. */
  flag: Record<string, unknown> | undefined
  #testService!: TestService
  #hostId = ''
  #number = 0

  get client() {
    return this.#testService.client
  }
  get store() {
    return this.#testService.service.store
  }

  constructor() {
    beforeAll(() => this.#open())
    afterAll(() => this.#testService.close())
    beforeEach(() => {
      this.sent = []
      this.meanwhile = undefined
      this.flag = undefined
      this.isBodiless = false
      this.isServed = false
      this.notes = createAccessNotes({ clock: systemClock })
    })
    afterEach(() => this.#clear())
  }

  async #open() {
    this.#testService = await openService({
      wrap: fetch => async request => {
        const path = `${request.method} ${new URL(request.url).pathname}`
        this.sent.push(path)
        const { meanwhile } = this
        if (meanwhile && path.startsWith(meanwhile.on)) {
          this.meanwhile = undefined
          await meanwhile.run()
        }
        const response = await fetch(request)
        if (this.isBodiless && request.method === 'DELETE' && response.status === 200)
          return { ...response, status: 204, body: null }
        if (!this.flag || !/\/projects\/[^/]+\/capabilities$/.test(path)) return response
        const body = JSON.parse(response.body as string) as object
        return { ...response, body: JSON.stringify({ ...body, features: { sandboxes: this.flag } }) }
      },
    })
    const { client } = this
    this.projectId = (await client.projects.list()).items[0]!.id
    const { projectId } = this
    const servers = await client.servers.list({ projectId })
    const made = await client.clients.create({
      projectId,
      body: { name: 'desk client', config: { modelId: 'small', serverIds: [servers.items[0]!.id] } },
    })
    this.#hostId = made.id
  }

  async #clear() {
    await this.app.close()
    this.gate('on')
    const { client, projectId } = this
    for (const { id: environmentId, revision } of (await client.environments.list({ projectId })).items) {
      await client.userTesting.unpublish({ projectId, environmentId })
      await client.environments.archive({ projectId, environmentId, body: { expectedRevision: revision } })
    }
  }

  gate(state: 'on' | 'off'): void {
    const { store } = this
    store.write(() =>
      store.organizationSettings.set(store.settings.get('localOrganizationId')!, gateSetting('user-testing'), state),
    )
  }

  async environment(): Promise<{ environmentId: string; name: string }> {
    const { client, projectId } = this
    const name = `Desk ${++this.#number}`
    const { id } = await client.environments.create({ projectId, body: { name, hostId: this.#hostId } })
    return { environmentId: id, name }
  }

  async published(mode: ScenarioMode) {
    const { client, projectId } = this
    const place = await this.environment()
    const { environmentId } = place
    const scenario = await client.userTesting.publish({ projectId, environmentId, body: { mode } })
    const target = { projectId, scenarioId: scenario.id }
    await client.userTesting.setGuestExecution({ ...target, body: caps })
    const door = visitor(this.#testService.service.fetch, scenarioUrl(scenario.link)!)
    const update = (to: ScenarioMode) => client.userTesting.update({ ...target, body: { mode: to } })
    return { ...place, ...target, link: door.link, door, update }
  }

  /**
   * Opens the screen with the given key, by default the owner's. Without a visitor door, links are those of a remote
   * service.
   */
  async open(
    params: Record<string, string> = {},
    {
      key,
      size,
      hasDoor = true,
      journal,
    }: { key?: string; size?: { width: number; height: number }; hasDoor?: boolean; journal?: Journal } = {},
  ): Promise<TestApp> {
    const { fetch } = this.#testService
    const door = createVisitorDoor({
      origin: 'http://127.0.0.1:4747',
      start: 'mcpdeck serve',
      answer: fetch,
      http: () => (this.isServed ? Promise.resolve(LISTENING) : Promise.reject(new TypeError('refused'))),
    })
    const budget = createBudget({ unlimited: true })
    const baseUrl = `http://local.invalid${API_PREFIX}`
    const own = key ?? (journal && this.#testService.service.localKey)
    const client = own ? createClient({ fetch, baseUrl, key: own, budget, ...(journal && { journal }) }) : this.client
    this.app = await openApp({
      testService: { ...this.#testService, client },
      place: scenariosRoute.to({ projectId: this.projectId, ...params }),
      access: { accessNotes: this.notes, ...(hasDoor && { door }), ...(journal && { journal }) },
      ...(size && { size }),
    })
    return this.app
  }

  /** Agrees to a question, after typing its word if it requires one. */
  async agree(word?: string): Promise<void> {
    const { app } = this
    if (word !== undefined) {
      await app.see(`Type “${word}”`)
      await app.type(word)
      await app.press('enter')
    }
    await app.see('❯ Cancel')
    await app.press(answer.next, answer.choose)
  }

  /** The text on screen without borders and line ends. */
  words(): string {
    return wordsOf(this.app.frame())
  }

  /** Resolves once the screen shows a sentence, wrapped or not. */
  async seeWords(sentence: string): Promise<void> {
    await this.app.see(frame => wordsOf(frame).includes(sentence))
  }
}

export async function isAlive(session: { state: () => Promise<{ status: number }> }): Promise<boolean> {
  return (await session.state()).status === 200
}
