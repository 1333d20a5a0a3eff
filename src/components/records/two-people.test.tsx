import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { editorOf } from '../../../test/scripted-editor.ts'
import { until } from '../../../test/service/harness.ts'
import { createBudget } from '../../api/client/budget/budget.ts'
import { createClient, type Client } from '../../api/client/client.ts'
import { configIdOf } from '../../api/contract/clients.ts'
import { API_PREFIX } from '../../api/contract/contract.ts'
import { clientsKeys } from '../../screens/clients/bindings.ts'
import { clientsRoute } from '../../screens/clients/route.ts'
import { environmentsKeys } from '../../screens/environments/bindings.ts'
import { environmentsRoute } from '../../screens/environments/route.ts'
import type { Binding } from '../../tui/keymap/binding.ts'
import type { Place } from '../../tui/router/place.ts'
import { confirmKeys, fieldKeys } from '../component-keys.ts'
import { formKeys } from '../form/form-keys.ts'

type Values = Readonly<Record<string, string>>
type Way = 'form' | 'text'

/** A record that two people change, both in a form and as text. */
type Noun = {
  begin: Record<Way, Binding>
  /** Fields of the form in order, each with the number of fields before it; fields of the text by name. */
  fields: Record<Way, readonly string[]>
  steps: Readonly<Record<string, number>>
  place: (projectId: string) => Place
  make: (client: Client, projectId: string) => Promise<() => Promise<Values>>
}

/** A step of one of the two people. It has no effect if it makes no sense. */
type Step = { who: 0 | 1 } & ({ does: 'begin'; way: Way; picks: readonly number[] } | { does: 'send' | 'leave' })

const HISTORIES = Number(process.env['PROPERTY_RUNS'] ?? 4)
const CONFLICT = /It was changed meanwhile|Someone else changed this/

const environment: Noun = {
  begin: { form: environmentsKeys.bindings.edit, text: environmentsKeys.bindings.editText },
  fields: { form: ['name', 'description', 'modelId'], text: ['name', 'description', 'modelId'] },
  steps: { name: 0, description: 1, modelId: 3 },
  place: projectId => environmentsRoute.to({ projectId }),
  async make(client, projectId) {
    const hostId = (await client.clients.create({ projectId, body: { name: 'Desk', template: 'claude' } })).id
    const body = { name: 'name-0', description: 'description-0', modelId: 'modelId-0', hostId }
    const { id: environmentId } = await client.environments.create({ projectId, body })
    return async () => {
      const { name, description, modelId } = await client.environments.get({ projectId, environmentId })
      return { name: name ?? '', description: description ?? '', modelId: modelId ?? '' }
    }
  },
}

const clientNoun: Noun = {
  begin: { form: clientsKeys.bindings.rename, text: clientsKeys.bindings.edit },
  fields: { form: ['name'], text: ['modelId', 'alpha', 'beta'] },
  steps: { name: 0 },
  place: projectId => clientsRoute.to({ projectId }),
  async make(client, projectId) {
    const made = await client.clients.create({ projectId, body: { name: 'name-0', template: 'claude' } })
    const target = { projectId, clientId: made.id }
    const config = { ...made.config, modelId: 'modelId-0', alpha: 'alpha-0', beta: 'beta-0' }
    await client.clients.update({ ...target, body: { config, expectedConfigId: configIdOf(made)! } })
    return async () => {
      const { name, config: now } = await client.clients.get(target)
      const { modelId, alpha, beta } = now as Record<string, string>
      return { name, modelId: modelId!, alpha: alpha!, beta: beta! }
    }
  },
}

/** A person with their own dashboard. */
class Person {
  readonly app: TestApp
  readonly #noun: Noun
  readonly #statuses: readonly number[]
  readonly #edit: { wanted: Values }
  /** Values that are filled in but not sent, with everything that was on screen since the form was opened. */
  open: { way: Way; wanted: Values; seen: string } | undefined
  /** Values of an abandoned text, with which the next edit continues. */
  #left: Values = {}

  constructor(app: TestApp, noun: Noun, statuses: readonly number[], edit: { wanted: Values }) {
    this.app = app
    this.#noun = noun
    this.#statuses = statuses
    this.#edit = edit
  }

  async begin(way: Way, values: Values): Promise<void> {
    const { app } = this
    const wanted = way === 'text' ? { ...this.#left, ...values } : values
    this.#edit.wanted = values
    await app.press(this.#noun.begin[way])
    await app.see(way === 'text' ? 'Send the change' : /Save the (?:changes|name)/)
    this.open = { way, wanted, seen: app.frame() }
    if (way === 'text') return
    let at = 0
    for (const [field, value] of Object.entries(values)) {
      const steps = this.#noun.steps[field]! - at
      for (let step = 0; step < steps; step += 1) await app.press(formKeys.bindings.next)
      at += steps
      await app.press(fieldKeys.bindings.clear)
      await app.type(value)
    }
  }

  /** Sends the open form. Resolves to whether it was accepted; a conflict keeps it open. */
  async send(): Promise<boolean> {
    const { app, open } = this
    const answered = this.#statuses.length
    if (open!.way === 'form') await app.press(formKeys.bindings.send)
    else await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await until(() => this.#statuses.length > answered, Boolean)
    const isTaken = this.#statuses.at(-1)! < 300
    if (isTaken) {
      await app.see(frame => !/Send the change|Save the (?:changes|name)/.test(frame))
      if (open!.way === 'text') this.#left = {}
      this.open = undefined
    } else open!.seen += await app.see(CONFLICT)
    return isTaken
  }

  async leave(): Promise<void> {
    const { app, open } = this
    await app.press('escape')
    if (app.frame().includes('Discard what you filled in?'))
      await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(frame => !/Send the change|Save the (?:changes|name)|Discard what/.test(frame))
    if (open!.way === 'text') this.#left = open!.wanted
    this.open = undefined
  }
}

const opened: { close: () => Promise<void> }[] = []
afterEach(async () => {
  for (const each of opened.splice(0)) await each.close()
})

/** Opens the screen for a person whose editor writes the wanted values into the text. */
async function arrive(service: TestService, noun: Noun, projectId: string): Promise<Person> {
  const statuses: number[] = []
  const edit: { wanted: Values } = { wanted: {} }
  const write = (text: string): string =>
    Object.entries(edit.wanted).reduce(
      (now, [field, value]) => now.replace(new RegExp(`^${field}: .*$`, 'm'), `${field}: ${value}`),
      text,
    )
  const client = createClient({
    fetch: async request => {
      const answer = await service.fetch(request)
      if (request.method === 'PATCH') statuses.push(answer.status)
      return answer
    },
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: service.service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  const editor = editorOf(...Array.from({ length: 50 }, () => write))
  const place = noun.place(projectId)
  const size = { width: 120, height: 40 }
  const app = await openApp({ testService: { ...service, client }, place, editor, size })
  opened.push(app)
  await app.see('▌name-0')
  return new Person(app, noun, statuses, edit)
}

/**
 * Runs a history, and checks after each step that no change of the other person was replaced unseen, and that nothing
 * else changed.
 */
async function live(noun: Noun, steps: readonly Step[]): Promise<{ conflicts: number; taken: number }> {
  const service = await openService()
  const projectId = (await service.client.projects.create({ body: { name: 'Own' } })).id
  const read = await noun.make(service.client, projectId)
  const people = [await arrive(service, noun, projectId), await arrive(service, noun, projectId)]
  opened.push(service)
  const met = { conflicts: 0, taken: 0 }
  let agreed = await read()
  let count = 0
  for (const step of steps) {
    const person = people[step.who]!
    const { open } = person
    if (step.does === 'begin' && !open) {
      count += 1
      const fields = noun.fields[step.way].filter((_, index) => step.picks.includes(index % 3))
      const chosen = fields.length > 0 ? fields : noun.fields[step.way].slice(0, 1)
      await person.begin(step.way, Object.fromEntries(chosen.map(field => [field, `${field}-${count}`])))
    } else if (step.does === 'leave' && open) await person.leave()
    else if (step.does === 'send' && open) {
      if (await person.send()) {
        met.taken += 1
        for (const field of Object.keys(open.wanted)) expect(open.seen, `unseen: ${field}`).toContain(agreed[field])
        agreed = { ...agreed, ...open.wanted }
      } else met.conflicts += 1
    }
    expect(await read()).toEqual(agreed)
  }
  for (const each of opened.splice(0)) await each.close()
  return met
}

const who = fc.constantFrom<0 | 1>(0, 1)
const way = fc.constantFrom<Way>('form', 'text')
const picks = fc.uniqueArray(fc.nat({ max: 2 }), { minLength: 1, maxLength: 3 })
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ who, does: fc.constant('begin' as const), way, picks }) },
  { weight: 3, arbitrary: fc.record({ who, does: fc.constant('send' as const) }) },
  { weight: 1, arbitrary: fc.record({ who, does: fc.constant('leave' as const) }) },
)
const histories = fc.array(step, { minLength: 8, maxLength: 14 })

/** Both open the form and one sends; the other sees the conflict, leaves, resumes, and sends. */
const tour = (ways: Way): Step[] => [
  { who: 0, does: 'begin', way: ways, picks: [0, 1] },
  { who: 1, does: 'begin', way: ways, picks: [0, 2] },
  { who: 0, does: 'send' },
  { who: 1, does: 'send' },
  { who: 1, does: 'leave' },
  { who: 0, does: 'begin', way: ways, picks: [1] },
  { who: 0, does: 'send' },
  { who: 1, does: 'begin', way: ways, picks: [2] },
  { who: 1, does: 'send' },
  { who: 1, does: 'send' },
]

test.each([
  ['an environment', environment],
  ['a client', clientNoun],
])(
  'two people who change %s at the same time overwrite nothing without seeing it',
  { timeout: 10_000 * (HISTORIES + 4) },
  async (_, noun) => {
    for (const each of ['form', 'text'] as const) {
      const { conflicts, taken } = await live(noun, tour(each))
      expect(conflicts).toBeGreaterThan(0)
      expect(taken).toBeGreaterThan(1)
    }
    await fc.assert(
      fc.asyncProperty(histories, async steps => void (await live(noun, steps))),
      { numRuns: HISTORIES, endOnFailure: true },
    )
  },
)
