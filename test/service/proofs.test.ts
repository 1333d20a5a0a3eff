import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuthorizationServerMetadata, FetchLike } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { GrantRequest } from '../../src/api/contract/sign-ins.ts'
import { createSignIns } from '../../src/cli/sign-in/sign-ins.ts'
import { storing } from '../../src/domain/servers/sign-in.ts'
import { askedProofs, sendWith } from '../../src/service/connections/proofs.ts'
import { forwardTo } from '../../src/service/bridge/forwarded.ts'
import { createServerTargets } from '../../src/service/servers/targets.ts'
import { SECRET } from '../../src/lib/redaction/redaction.ts'
import { startOAuthServer, visit } from '../servers/oauth-server.ts'
import { createProofCheck } from '../servers/proof-check.ts'
import { echoCase, open, sandbox, temporaryDirectory, untilEnded } from './harness.ts'

const { runs, servers, signIns, suites, traffic } = contract
const { signal } = new AbortController()
const GRANT: GrantRequest = { grant: 'client-credentials', clientId: 'job', clientSecret: 'correct-horse-battery' }
const LISTED = { dpop_signing_alg_values_supported: ['RS256', 'ES256'] }

type Nonces = Parameters<typeof createProofCheck>[0]

/** A saved server whose authorization server may ask for proofs of possession. */
async function guarded({ asks = true, nonces = {} }: { asks?: boolean; nonces?: Nonces } = {}) {
  const dataDir = temporaryDirectory()
  const { api, store } = await open({ dataDir })
  const { projectId } = await sandbox(api)
  const server = await startOAuthServer()
  const { url, state, oddities } = server
  const proofs = createProofCheck(nonces)
  if (asks) state.proofs = proofs
  if (asks) Object.assign(oddities.metadata, LISTED)
  const body = { name: 'guarded', enabled: true, transportType: 'http' as const, url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  const stored = () => store.servers.find(serverId)!.tokens!
  const tools = async () => (await api.call(servers.tools, target)).items
  const signIn = async (keepsKeys = true) => {
    const plan = await createSignIns().plan(url, { scopes: [], keepsKeys, signal })
    const begun = await plan.begin({}, signal)
    const { back } = await visit(begun.link)
    const answered = fetch(back)
    const tokens = await begun.tokens
    await answered
    await api.call(storing(tokens), { ...target, body: tokens })
    return tokens
  }
  const ends = () => store.write(() => store.servers.setTokens(serverId, { ...stored(), expiresAt: Date.now() + 1 }))
  const grant = () => {
    state.machine = () => undefined
    return api.call(signIns.grant, { ...target, body: GRANT })
  }
  return { ...server, dataDir, api, store, target, proofs, stored, tools, signIn, ends, grant }
}

test('a sign-in makes a key, and each request has a proof of its own', async () => {
  const { signIn, tools, proofs, stored, state } = await guarded()
  const { tokens, proofKey } = await signIn()
  expect(tokens.token_type).toBe('DPoP')
  expect(proofKey).toEqual({ algorithm: 'ES256', privateKey: expect.stringContaining('PRIVATE KEY') })
  expect(stored().proofKey).toEqual(proofKey)
  expect(await tools()).toHaveLength(1)
  expect(await tools()).toHaveLength(1)
  expect(proofs.refusals).toEqual([])
  const sent = state.headers.flatMap(({ dpop }) => dpop ?? [])
  expect(new Set(sent).size).toBe(sent.length)
  expect(state.headers.some(({ authorization = '' }) => authorization.startsWith('Bearer'))).toBe(false)
})

test('the nonces of both servers are used, each for its server, and are asked for once', async () => {
  const { signIn, tools, proofs, ends, state } = await guarded({ nonces: { token: 'of-token', mcp: 'of-mcp' } })
  await signIn()
  expect(await tools()).toHaveLength(1)
  expect(proofs.refusals).toEqual(['nonce', 'nonce'])
  ends()
  expect(await tools()).toHaveLength(1)
  expect(state.refreshes).toBe(1)
  expect(proofs.refusals).toEqual(['nonce', 'nonce'])
})

test('a server that wants another nonce each time is asked twice', async () => {
  const { api, target, signIn, proofs } = await guarded({ nonces: { mcp: '1' } })
  await signIn()
  let nonce = 1
  Object.defineProperty(proofs.nonces, 'mcp', { get: () => String((nonce += 1)) })
  expect(await api.refused(servers.tools, target)).toMatchObject({ code: 'OAUTH_REQUIRED' })
  expect(proofs.refusals).toEqual(['nonce', 'nonce'])
})

test('a refresh keeps the key, and so does the next token of a grant', async () => {
  const { signIn, tools, ends, stored, grant, proofs, state } = await guarded()
  await signIn()
  const { proofKey } = stored()
  ends()
  expect(await tools()).toHaveLength(1)
  expect(state.refreshes).toBe(1)
  expect(stored().proofKey).toEqual(proofKey)
  await grant()
  const { proofKey: ofGrant } = stored()
  expect(ofGrant).not.toEqual(proofKey)
  state.accepted.clear()
  expect(await tools()).toHaveLength(1)
  expect(stored().proofKey).toEqual(ofGrant)
  expect(proofs.refusals).toEqual([])
})

test.each([{}, { dpop_signing_alg_values_supported: [] }, LISTED])(
  'a server of bearer tokens gets no proof, with the metadata %j beside it',
  async metadata => {
    const { signIn, tools, grant, state, stored, oddities } = await guarded({ asks: false })
    Object.assign(oddities.metadata, metadata)
    expect(await signIn()).not.toHaveProperty('proofKey')
    await tools()
    await grant()
    expect(await tools()).toHaveLength(1)
    expect(stored()).not.toHaveProperty('proofKey')
    expect(state.headers.length).toBeGreaterThan(4)
    expect(state.headers.filter(headers => 'dpop' in headers)).toEqual([])
  },
)

test.each([
  { schemes: [], asked: undefined },
  { schemes: ['bearer'], asked: undefined },
  { schemes: ['dpop', 'bearer'], asked: { areRequired: false, algorithm: 'ES256' } },
  { schemes: ['dpop'], asked: { areRequired: true, algorithm: 'ES256' } },
])('a challenge with the schemes $schemes asks for proofs: $asked', ({ schemes, asked }) => {
  for (const authority of [LISTED, {}] as AuthorizationServerMetadata[])
    expect(askedProofs({ authority, resource: undefined, schemes })).toEqual(asked)
})

test('a sign-in at a server without a challenge has no proof, whatever its authorization server lists', async () => {
  const { signIn, oddities } = await guarded({ asks: false })
  Object.assign(oddities.metadata, LISTED)
  oddities.answers['mcp /mcp'] = () => new Response('', { status: 401 })
  expect(await signIn()).not.toHaveProperty('proofKey')
})

test('a bearer token is refused where proofs are required, and used where they are not', async () => {
  const { signIn, grant, tools, oddities, state, target, api } = await guarded()
  oddities.tokens['token_type'] = 'Bearer'
  oddities.resource['dpop_bound_access_tokens_required'] = true
  const why = /127\.0\.0\.1:\d+ gave a bearer token, and the server takes only tokens with a proof of possession\./
  await expect(signIn()).rejects.toThrow(why)
  state.machine = () => undefined
  expect(await api.refused(signIns.grant, { ...target, body: GRANT })).toMatchObject({
    code: 'OAUTH_REQUIRED',
    message: expect.stringMatching(why),
  })
  delete oddities.resource['dpop_bound_access_tokens_required']
  await expect(signIn()).rejects.toThrow(why)
  state.proofs = undefined
  oddities.resource['dpop_signing_alg_values_supported'] = ['ES256']
  await grant()
  expect(await tools()).toHaveLength(1)
})

test.each([
  ['requires proofs', { dpop_bound_access_tokens_required: true }, undefined],
  ['says nothing about proofs', {}, undefined],
  ['fails to answer', {}, () => new Response('', { status: 500 })],
])('a bearer token is not taken for a renewed one if the metadata of the server %s', async (_what, fields, answer) => {
  const { api, signIn, oddities, store, target, stored } = await guarded()
  const { proofKey } = await signIn()
  oddities.tokens['token_type'] = 'Bearer'
  Object.assign(oddities.resource, fields)
  if (answer) oddities.answers[`mcp ${oddities.resourcePath}`] = answer
  store.write(() => store.servers.setTokens(target.serverId, { ...stored(), expiresAt: Date.now() - 1 }))
  expect(await api.refused(servers.tools, target)).toMatchObject({
    code: 'OAUTH_REQUIRED',
    message: expect.stringMatching(
      /needs a new sign-in: 127\.0\.0\.1:\d+ gave a bearer token in place of .* possession\. Sign in/,
    ),
  })
  expect(stored().proofKey).toEqual(proofKey)
})

test.each([
  [['ES256K'], ['ES256']],
  [['ES256'], ['RS256']],
])(
  'servers without a common algorithm of proofs that are required are both named: %j, %j',
  async (own, ofAuthority) => {
    const { signIn, oddities, origin, authority } = await guarded()
    oddities.resource['dpop_bound_access_tokens_required'] = true
    oddities.resource['dpop_signing_alg_values_supported'] = own
    oddities.metadata['dpop_signing_alg_values_supported'] = ofAuthority
    const [mcp, issuer] = [origin, authority].map(each => new URL(each).host)
    await expect(signIn()).rejects.toThrow(
      `${issuer} and ${mcp} leave no algorithm for proofs of possession; mcpdeck signs with ES256, ES384`,
    )
  },
)

test('a workspace that keeps no keys signs in without proofs, unless they are required', async () => {
  const { signIn, oddities, state } = await guarded()
  state.proofs = undefined
  oddities.resource['dpop_signing_alg_values_supported'] = ['ES256']
  expect(await signIn(false)).not.toHaveProperty('proofKey')
  oddities.resource['dpop_bound_access_tokens_required'] = true
  await expect(signIn(false)).rejects.toThrow('only a local workspace keeps the key for it')
})

const OTHERS = ['ES384', 'ES512', 'EdDSA', 'PS256', 'RS256']

test.each(OTHERS)('a proof is signed with %s where only that is allowed', async alg => {
  const { oddities, state, url } = await guarded({ asks: false })
  oddities.metadata['dpop_signing_alg_values_supported'] = [alg]
  oddities.resource['dpop_bound_access_tokens_required'] = true
  const plan = await createSignIns().plan(url, { scopes: [], keepsKeys: true, signal })
  const begun = await plan.begin({}, signal)
  const { back } = await visit(begun.link)
  await Promise.all([fetch(back), expect(begun.tokens).rejects.toThrow('gave a bearer token')])
  const [head = ''] = state.headers.find(({ dpop }) => dpop)!['dpop']!.split('.')
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ alg, typ: 'dpop+jwt' })
})

test('proofs, nonces and the key are in no record of the traffic, and the key in no file', async () => {
  const { signIn, tools, api, target, state, dataDir } = await guarded({ nonces: { mcp: 'nonce-of-mcp' } })
  const { proofKey } = await signIn()
  await api.call(traffic.list, target)
  await tools()
  const { items } = await api.call(traffic.list, target)
  const messages = await Promise.all(items.map(({ id }) => api.call(traffic.get, { ...target, frameId: id })))
  const headers = messages.map(({ exchange }) => exchange?.requestHeaders ?? {})
  expect(headers).toContainEqual(expect.objectContaining({ dpop: SECRET, authorization: SECRET }))
  const text = JSON.stringify(messages)
  for (const { dpop = 'none-sent' } of state.headers) expect(text).not.toContain(dpop)
  expect(text).not.toContain('nonce-of-mcp')
  const [, core = ''] = proofKey!.privateKey.split('\n')
  expect(core).toMatch(/^[\w+/]{64}$/)
  expect(text).not.toContain(core)
  const files = readdirSync(dataDir, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
  expect(files).not.toEqual([])
  for (const { parentPath, name } of files) expect(readFileSync(join(parentPath, name), 'latin1')).not.toContain(core)
})

test('a bridge sends proofs, and keeps an own header in their place', async () => {
  const { signIn, store, target, proofs, state } = await guarded({ nonces: { mcp: 'of-mcp' } })
  await signIn()
  const { transport } = createServerTargets(store).of(store.servers.find(target.serverId)!)
  if (transport.type !== 'http') throw new Error('the server is over HTTP')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const ask = (headers: Record<string, string>) =>
    forwardTo({ ...transport, headers }).answer(new Request('http://bridge.test/mcp', { method: 'POST', body }))
  expect((await ask({})).status).toBe(200)
  expect(proofs.refusals).toEqual(['nonce'])
  state.headers.length = 0
  expect((await ask({ authorization: 'Basic own' })).status).toBe(401)
  expect(state.headers).toEqual([expect.not.objectContaining({ dpop: expect.anything() })])
})

test('a run sends proofs, and gets another token of a grant that the server refuses', async () => {
  const { api, target, grant, state, proofs } = await guarded({ nonces: { mcp: 'of-mcp' } })
  await grant()
  state.accepted.clear()
  const { projectId, serverId } = target
  const step = { kind: 'toolCall', serverName: 'guarded', toolName: 'whoami', arguments: {} }
  const tests = [{ ...echoCase('asks', 'a'), steps: [{ ...echoCase('asks', 'a').steps[0], ...step }] }]
  const suite = { name: 'Guarded', model: 'none', serverIds: [serverId], tests }
  const { suiteId } = await api.call(suites.create, { projectId, body: suite })
  const { runId } = await api.call(runs.create, { projectId, body: { suiteId } })
  expect(await untilEnded(api, projectId, runId)).toMatchObject({ status: 'completed' })
  expect(state.calls).toBe(1)
  expect(new Set(proofs.refusals)).toEqual(new Set(['nonce']))
})

const ES256 = { algorithm: 'ES256' } as const
const BOUND = { access_token: 'some', token_type: 'DPoP' }
const pem = (key: KeyObject): string => String(key.export({ type: 'pkcs8', format: 'pem' }))

test.each([
  ['that cannot be read', () => 'none'],
  ['of RSA', () => pem(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)],
  ['of another curve', () => pem(generateKeyPairSync('ec', { namedCurve: 'P-384' }).privateKey)],
  [
    'as a JWK',
    () => JSON.stringify(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })),
  ],
])('a private key %s is refused for ES256, and the tokens before stay', async (_what, privateKey) => {
  const { api, target, url, signIn, stored } = await guarded()
  await signIn()
  const before = stored()
  const body = { serverUrl: url, tokens: BOUND, proofKey: { ...ES256, privateKey: privateKey() } }
  expect(await api.refused(signIns.keep, { ...target, body })).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: 'proofKey: is not a private key of ES256 without a password, as PEM',
  })
  expect(stored()).toEqual(before)
})

test('a bound token is not imported without its key', async () => {
  const { api, target, url, signIn, stored } = await guarded()
  await signIn()
  const before = stored()
  const body = { serverUrl: url, tokens: BOUND }
  expect(await api.refused(servers.importTokens, { ...target, body })).toMatchObject({
    code: 'VALIDATION_ERROR',
    message: expect.stringContaining('works only with its key'),
  })
  expect(stored()).toEqual(before)
})

test('requests at the same time use a nonce each, as each was told', async () => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const given = new Set<string>()
  const nonceIn = (proof: string): unknown =>
    Object(JSON.parse(Buffer.from(proof.split('.')[1] ?? '', 'base64url').toString())).nonce
  const send = async (...[, init]: Parameters<FetchLike>) => {
    const nonce = nonceIn(new Headers(init?.headers).get('dpop') ?? '')
    if (typeof nonce === 'string' && given.delete(nonce)) return new Response('done')
    const another = randomUUID()
    given.add(another)
    const headers = { 'www-authenticate': 'DPoP error="use_dpop_nonce"', 'dpop-nonce': another }
    return new Response('', { status: 401, headers })
  }
  const refused = Promise.withResolvers<undefined>()
  const discard = async () => {
    if (given.size === 3) refused.resolve(undefined)
    await refused.promise
  }
  const request = sendWith({ value: 'token', proofKey: { ...ES256, privateKey: pem(privateKey) } }, send, discard)
  const answers = await Promise.all([1, 2, 3].map(() => request('http://mcp.test/mcp', { method: 'POST' })))
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})
