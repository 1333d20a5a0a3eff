import { expect, onTestFinished, test } from 'vitest'
import { openService } from '../../../../test/harness.tsx'
import { startOAuthServer } from '../../../../test/servers/oauth-server.ts'
import { sendPlan } from '../../documents/send.ts'
import { documentStore } from '../../documents/store.ts'
import { ANY_FORMAT } from './formats.ts'
import { sendGrants } from './grants.ts'
import { candidatesOf, planImport } from './importing.ts'
import { readServers } from './reading.ts'

const CONTEXT = { env: {}, home: '/home', separator: '/', readText: () => '' }

/** A project into which files are imported. `faults.update` answers in place of each change of a server. */
async function prepared() {
  const faults: { update?: () => Response } = {}
  const service = await openService({
    wrap: fetch => async request =>
      (request.method === 'PATCH' ? faults.update?.() : undefined) ?? (await fetch(request)),
  })
  onTestFinished(() => service.close())
  const { client } = service
  const projectId = (await client.projects.create({ body: { name: 'imports' } })).id
  const store = documentStore(client, projectId)
  const importing = async (...servers: readonly object[]) => {
    const entries = servers.flatMap((server, index) => {
      const text = JSON.stringify({ mcpServers: { guarded: { type: 'http', ...server } } })
      return readServers({ file: `${index}.json`, text, format: ANY_FORMAT }).entries
    })
    const plan = await planImport(await candidatesOf(entries, store, CONTEXT), store)
    if ('problems' in plan) return { problems: plan.problems.map(({ message }) => message) }
    const sent = await sendPlan(client, store, projectId, plan)
    return { outcomes: [...sent, ...(await sendGrants(plan.granted, { client, store, projectId }))] }
  }
  return { faults, importing }
}

const oauthOf = (client_id: string) => ({
  grant_type: 'client_credentials',
  client_id,
  client_secret: 'correct-horse-battery',
})

test.each([409, 500])('after an update that answers %i the old authorization server gets no secret', async status => {
  const { faults, importing } = await prepared()
  const [before, after] = [await startOAuthServer(), await startOAuthServer()]
  before.state.machine = () => undefined
  await importing({ url: before.url })
  faults.update = () => Response.json({ code: 'CONFLICT', message: 'Not now.' }, { status })
  const { outcomes } = await importing({ url: after.url, oauth: oauthOf('job') })
  expect(outcomes).toMatchObject([
    { kind: 'failed' },
    { kind: 'skipped', lines: ['Its grant is not stored, since it is saved with another address.'] },
  ])
  expect([before.state.redeemed, after.state.redeemed]).toEqual([[], []])
})

test('one server in two files is granted once, and with two clients nothing is sent', async () => {
  const { importing } = await prepared()
  const { url, state } = await startOAuthServer()
  state.machine = () => undefined
  expect(await importing({ url, oauth: oauthOf('job') }, { url, oauth: oauthOf('other') })).toEqual({
    problems: ['"guarded" stands in 0.json:1 too and differs there; take one of the two.'],
  })
  expect(state.redeemed).toEqual([])
  const { outcomes } = await importing({ url, oauth: oauthOf('job') }, { url, oauth: oauthOf('job') })
  expect(outcomes).toMatchObject([{ kind: 'created' }, { kind: 'changed' }])
  expect(state.redeemed).toHaveLength(1)
})
