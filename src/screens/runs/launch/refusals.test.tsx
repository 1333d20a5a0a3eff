import { describe, expect, test } from 'vitest'
import {
  allEnded,
  app,
  doubles,
  goTo,
  openForm,
  pins,
  runsOf,
  seeWords,
  sent,
  service,
  stage,
  withLaunchForms,
} from '../../../../test/launch-form.ts'
import { quickCase, slowCase } from '../../../../test/launch-stage.ts'
import { until } from '../../../../test/service/harness.ts'
import { appKeys } from '../../../components/everywhere-keys.ts'
import { confirmKeys } from '../../../components/component-keys.ts'
import { choiceKeys, formKeys } from '../../../components/form/form-keys.ts'

const form = formKeys.bindings
const choice = choiceKeys.bindings
const confirm = confirmKeys.bindings

withLaunchForms()

type Refusal = {
  name: string
  /** Creates the suite, opens the form and causes the refusal. */
  into: (suiteId: string) => Promise<void>
  suite?: () => Promise<Parameters<typeof stage.suite>[1]>
  says: readonly string[]
}

const envelope = (code: string, details: object, message = 'no'): object => ({ code, message, details })

/** Selects the first environment of the form. */
async function chooseEnvironment(): Promise<void> {
  await goTo('Environments')
  await app.press(choice.pick)
}

const withEnvironments = (count: number) => async () => {
  const host = await stage.mcpClient(`Refused client ${environmentSerial()}`)
  const environmentIds: string[] = []
  for (let made = 0; made < count; made += 1)
    environmentIds.push(await stage.environment(`Refused ${made} ${environmentSerial()}`, host))
  return { environmentIds }
}
let serial = 0
const environmentSerial = (): number => (serial += 1)

/** Changes the suite without updating the form. */
const edit = (suiteId: string, body: object) =>
  service.client.suites.update({ projectId: stage.projectId, suiteId, body })

const refusals: Refusal[] = [
  {
    name: 'NO_SAVED_SERVER_SELECTION, before sending',
    suite: async () => ({ servers: [] }),
    into: async () => app.press(form.send),
    says: ['The suite has no saved servers and the launch names none. Choose the servers for this run.'],
  },
  {
    name: 'NO_SAVED_SERVER_SELECTION, of the service',
    into: async suiteId => {
      await edit(suiteId, { environment: { servers: [] } })
      await app.press(form.send)
    },
    says: ['The suite has no saved servers and the launch names none. Choose the servers for this run.'],
  },
  {
    name: 'ENVIRONMENT_REQUIRED, before sending',
    suite: withEnvironments(2),
    into: async () => app.press(form.choose),
    says: ['The suite is attached to more than one environment. Choose one, or several for a run group.'],
  },
  {
    name: 'ENVIRONMENT_REQUIRED, of the service',
    into: async suiteId => {
      await edit(suiteId, await withEnvironments(2)())
      await app.press(form.send)
    },
    says: ['The suite is attached to more than one environment. Choose one: Refused 0'],
  },
  {
    name: 'ENVIRONMENT_NOT_ATTACHED, of the service',
    suite: withEnvironments(2),
    into: async suiteId => {
      await chooseEnvironment()
      const { environmentIds = [] } = await service.client.suites.get({ projectId: stage.projectId, suiteId })
      await edit(suiteId, { environmentIds: environmentIds!.slice(1) })
      await app.press(form.send)
    },
    says: ['The suite is not attached to that environment. Attach it, or choose another one.', 'Attach Refused'],
  },
  {
    name: 'ENVIRONMENT_SERVERS_NOT_OVERRIDABLE, of the service',
    into: async suiteId => {
      await goTo('Servers')
      await app.press(choice.pick)
      await edit(suiteId, await withEnvironments(1)())
      await app.press(form.send)
    },
    says: ['A run on an environment takes its servers from there. Launch without choosing servers.'],
  },
  {
    name: 'HETEROGENEOUS_TARGETS, before sending',
    suite: async () => ({
      ...(await withEnvironments(1)()),
      hosts: [await stage.mcpClient(`Mixed ${environmentSerial()}`)],
    }),
    into: async () => {
      await chooseEnvironment()
      await goTo('Clients')
      await app.press(choice.pick, form.send)
    },
    says: ['The targets of a run group must all be of one kind. Choose targets of one kind.'],
  },
  {
    name: '404 for cases that are gone',
    suite: async () => ({ tests: [quickCase('one'), quickCase('two')] }),
    into: async suiteId => {
      await goTo('Cases')
      await app.press(form.down, choice.pick)
      await goTo('Which cases')
      await app.press(choice.pick)
      const { projectId } = stage
      const [first] = (await service.client.cases.list({ projectId, suiteId })).items
      await service.client.cases.delete({ projectId, suiteId, caseId: first!.id })
      await app.press(form.send)
    },
    says: ['None of the chosen cases is in the suite any more', 'all 1'],
  },
  {
    name: 'hostedModels',
    into: async () => {
      const details = { field: 'model', hostedModels: ['acme/large', 'acme/small'] }
      doubles.set('/eval-runs', { status: 400, body: envelope('VALIDATION_ERROR', details) })
      await goTo('Model')
      await app.type('acme/huge')
      await app.press(form.send)
      await seeWords('This model cannot be used here. Choose one of the offered models')
      await goTo('Offered models')
      await app.press(form.down, form.down, form.send)
      await app.see('▌Run #1')
      expect(sent.at(-1)).toMatchObject({ model: 'acme/small' })
    },
    says: [],
  },
  {
    name: 'an environment that changed between resolution and launch',
    suite: withEnvironments(1),
    into: async () => {
      const details = { resolvedRevision: 1, revision: 2 }
      await seeWords('revision 1: client')
      doubles.set('/eval-runs', { status: 409, body: envelope('CONFLICT', details) })
      await chooseEnvironment()
      await app.press(form.send)
    },
    says: [
      'The environment was changed since it was read, so nothing was launched. Check what it resolves to now, then launch again.',
    ],
  },
  {
    name: 'OAUTH_REQUIRED',
    into: async () => {
      const reason = 'The server "x" names another authorization server.'
      doubles.set('/eval-runs', { status: 401, body: envelope('OAUTH_REQUIRED', {}, reason) })
      await app.press(form.send)
      await seeWords(`the key of this profile is fine. The service says: ${reason} Sign in to that`)
      await goTo('Elsewhere')
      await app.see('Go to the servers, to import the tokens')
      await app.press(form.choose)
      await app.see('[3 Servers]')
    },
    says: [],
  },
  {
    name: '403',
    into: async () => {
      doubles.set('/eval-runs', { status: 403, body: envelope('FORBIDDEN', {}) })
      await app.press(form.send)
    },
    says: ['This key has no access, or the feature is off for the organization. Waiting will not help'],
  },
  {
    name: 'CI_OWNED_SUITE_READ_ONLY when attaching',
    into: async suiteId => {
      doubles.set(`/${suiteId}/environments`, {
        status: 409,
        body: envelope('CONFLICT', { reason: 'CI_OWNED_SUITE_READ_ONLY' }),
      })
      await chooseEnvironment()
      await app.press(form.send)
    },
    says: ['This suite is written by a CI pipeline and cannot be edited here. Change it where the pipeline takes it'],
  },
  ...(
    [
      ['ENV_NO_SERVERS', 'The environment resolves to no servers. Give its client a server'],
      ['ENV_HOST_MISSING', 'The client of the environment was deleted. Give the environment another client'],
      ['ENV_PLUGIN_UNAVAILABLE', 'A plugin version that the environment pins cannot be used. Pin another'],
      ['ENV_MODEL_REQUIRED', 'Neither the environment nor its client names a model. Set a model'],
      ['ENV_ARCHIVED', 'The environment is archived. Restore it'],
      ['ENV_ATTACHMENT_MISSING', 'The server group of the environment was deleted. Give the environment another'],
    ] as const
  ).map(([code, sentence]): Refusal => ({
    name: code,
    suite: withEnvironments(1),
    into: async () => {
      await seeWords('revision 1: client')
      doubles.set('/eval-runs', { status: 409, body: envelope('CONFLICT', { code }) })
      await app.press(form.send)
    },
    says: [sentence],
  })),
]

describe('a refused launch says why and what helps, and keeps what was entered', () => {
  test.each(refusals)('refused: $name', async ({ name, suite, into, says }) => {
    // The title is short, because a list cuts long ones.
    const title = `R${environmentSerial()}`
    const suiteId = await stage.suite(title, await suite?.())
    await openForm(title, suiteId)
    await into(suiteId)
    for (const text of says) await seeWords(text)
    if (says.length > 0) expect(await runsOf(suiteId), name).toEqual([])
    else await allEnded(suiteId)
  })
})

describe('at the limit of runs', () => {
  test('the form names the run that holds the slot, and leads there', async () => {
    const holder = await stage.suite('Holder', { tests: [slowCase('long', 60)] })
    const suiteId = await stage.suite('Held')
    await service.client.runs.create({ projectId: stage.projectId, body: { suiteId: holder } })
    await openForm('Held', suiteId)
    await seeWords('1 of 1 run slots in use by this project; others may hold more.')
    await app.press(form.choose)
    await seeWords('All run slots seem to be held')
    await app.see('▌ Wait for a free slot, then launch')
    await app.press(form.down, form.choose)
    await app.see('▌Run #1')
  })

  test('a refusal offers to wait, and launches once that run was cancelled', async () => {
    const holder = await stage.suite('Slow holder', { tests: [slowCase('long', 60)] })
    const suiteId = await stage.suite('Waiting')
    await openForm('Waiting', suiteId)
    const { projectId } = stage
    const { runId } = await service.client.runs.create({ projectId, body: { suiteId: holder } })
    await app.press(form.send)
    await seeWords('The organization already has as many live runs as it may have.')
    await app.see('▌ Wait for a free slot, then launch')
    await app.see('Cancel run #1 of Slow holder')
    await app.press(form.down, form.down, form.choose)
    await app.see('Cancel run #1 of Slow holder?')
    await app.press('escape')
    await app.see(frame => !frame.includes('Slow holder?'))
    await app.press(form.up, form.up)
    await app.see('▌ Wait for a free slot, then launch')
    await app.press(form.choose)
    await app.see('Waiting for a run slot to launch Waiting…')
    await service.client.runs.cancel({ projectId, runId })
    await until(
      () => runsOf(suiteId),
      runs => runs.length === 1,
    )
    await app.see('Launched Waiting.')
    expect(pins.list()).toHaveLength(1)
    await allEnded(suiteId)
  })

  test('a run of the suite that a refusal named holds its slot only until it ends', async () => {
    const suiteId = await stage.suite('Own holder', { tests: [slowCase('long', 60)] })
    await openForm('Own holder', suiteId)
    const { projectId } = stage
    const { runId } = await service.client.runs.create({ projectId, body: { suiteId } })
    await app.press(form.send)
    await app.see('▌ Wait for a free slot, then launch')
    await seeWords('1 of 1 run slots in use by this project; others may hold more.')
    await service.client.runs.cancel({ projectId, runId })
    await seeWords('0 of 1 run slots in use by this project; others may hold more.')
    await app.press(form.cancel)
  })

  test('cancelling the run that holds the slot asks first, and frees the slot', async () => {
    const holder = await stage.suite('Cancelled holder', { tests: [slowCase('long', 60)] })
    const suiteId = await stage.suite('Freed')
    const { projectId } = stage
    await service.client.runs.create({ projectId, body: { suiteId: holder } })
    await openForm('Freed', suiteId)
    await seeWords('1 of 1 run slots in use by this project; others may hold more.')
    await app.press(form.choose)
    await app.press(form.down, form.down, form.choose)
    await app.see('❯ Keep it running')
    await app.press(confirm.next, confirm.choose)
    await app.see(/is cancelled\./)
    await seeWords('0 of 1 run slots in use by this project; others may hold more.')
    await app.press(form.send)
    await app.see('▌Run #1')
    await allEnded(suiteId)
  })

  test('waiting can be cancelled, and then nothing is launched', async () => {
    const holder = await stage.suite('Kept holder', { tests: [slowCase('long', 60)] })
    const suiteId = await stage.suite('Given up')
    await service.client.runs.create({ projectId: stage.projectId, body: { suiteId: holder } })
    await openForm('Given up', suiteId)
    await seeWords('1 of 1 run slots in use by this project; others may hold more.')
    await app.press(form.choose)
    await app.see('▌ Wait for a free slot, then launch')
    await app.press(form.choose)
    await app.see('Waiting for a run slot to launch Given up…')
    await app.press(appKeys.bindings.stop)
    await app.see('Given up was not launched.')
    expect(await runsOf(suiteId)).toEqual([])
  })
})
