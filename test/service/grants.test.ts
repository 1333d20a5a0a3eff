import { createPublicKey, generateKeyPairSync, verify, type KeyObject } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { GrantRequest } from '../../src/api/contract/sign-ins.ts'
import { requestTokens } from '../../src/service/servers/grants.ts'
import { startOAuthServer } from '../servers/oauth-server.ts'
import { open, sandbox, temporaryDirectory } from './harness.ts'

const { servers, signIns, traffic } = contract
const SECRET = 'correct-horse-battery'
const BASIC: GrantRequest = { grant: 'client-credentials', clientId: 'job', clientSecret: SECRET, scope: 'tools' }

/** A saved server, and an authorization server that knows the client of a grant. */
async function machine(knows: (form: Record<string, string>, header: string) => string | undefined = knowsBasic) {
  const { api, store } = await open({ log: () => undefined })
  const { projectId } = await sandbox(api)
  const { url, state, oddities, authority, origin } = await startOAuthServer()
  state.machine = knows
  const body = { name: 'guarded', enabled: true, transportType: 'http' as const, url, useOAuth: true }
  const { id: serverId } = await api.call(servers.create, { projectId, body })
  const target = { projectId, serverId }
  const grant = (own: GrantRequest = BASIC) => api.call(signIns.grant, { ...target, body: own })
  const refused = async (own: GrantRequest = BASIC) =>
    (await api.refused(signIns.grant, { ...target, body: own })) as { code: string; message: string; details: object }
  return { api, store, target, state, oddities, authority, origin, url, grant, refused }
}

function knowsBasic({ grant_type }: Record<string, string>, header: string): string | undefined {
  if (grant_type !== 'client_credentials') return 'unsupported_grant_type'
  return header === `Basic ${Buffer.from(`job:${SECRET}`).toString('base64')}` ? undefined : 'invalid_client'
}

/** Checks a client assertion; returns its claims, or undefined if the signature is wrong. */
function claimsOf(assertion: string, key: KeyObject): Record<string, unknown> | undefined {
  const [head = '', claims = '', signature = ''] = assertion.split('.')
  const { alg } = JSON.parse(Buffer.from(head, 'base64url').toString()) as { alg: string }
  const isSigned = verify(
    alg === 'EdDSA' ? null : 'sha256',
    Buffer.from(`${head}.${claims}`),
    alg === 'ES256' ? { key, dsaEncoding: 'ieee-p1363' } : key,
    Buffer.from(signature, 'base64url'),
  )
  return isSigned ? (JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>) : undefined
}

/** A JWT that nobody verifies. */
function jwt(claims: object): string {
  return ['{}', JSON.stringify(claims), 'signed'].map(part => Buffer.from(part).toString('base64url')).join('.')
}

test('a client secret gets a token without a person, and another one before it ends', async () => {
  const { api, store, target, state, grant, authority } = await machine()
  expect(await grant()).toMatchObject({
    signedIn: true,
    refreshable: true,
    grant: 'client-credentials',
    issuer: authority,
    clientId: 'job',
  })
  expect(state.redeemed).toEqual([expect.objectContaining({ grant_type: 'client_credentials', scope: 'tools' })])
  expect((await api.call(servers.tools, target)).items).toHaveLength(1)
  expect(state.redeemed).toHaveLength(1)
  const row = store.servers.find(target.serverId)!
  store.write(() => store.servers.setTokens(row.id, { ...row.tokens!, expiresAt: Date.now() + 1000 }))
  expect((await api.call(servers.tools, target)).items).toHaveLength(1)
  expect(state.redeemed).toHaveLength(2)
})

test('a token that the server refuses is replaced once, and the request is repeated', async () => {
  const { api, target, state, grant } = await machine()
  await grant()
  await api.call(servers.tools, target)
  state.accepted.clear()
  expect((await api.call(servers.tools, target)).items).toHaveLength(1)
  expect(state.redeemed).toHaveLength(2)
})

test('a server that refuses every token is asked twice, and the refusal is reported', async () => {
  const { api, target, oddities, state, grant } = await machine()
  await grant()
  let asked = 0
  oddities.answers['mcp /mcp'] = () => {
    asked += 1
    return new Response('', { status: 401, headers: { 'www-authenticate': 'Bearer' } })
  }
  expect(await api.refused(servers.tools, target)).toMatchObject({
    code: 'OAUTH_REQUIRED',
    message: 'The server "guarded" refuses the token of its grant (HTTP 401).',
    details: { reason: 'SERVER_GRANT' },
  })
  expect(asked).toBeLessThanOrEqual(4)
  expect(state.redeemed.length).toBeLessThanOrEqual(3)
})

test('a refused request is recorded, even if its token cannot be replaced', async () => {
  const { api, target, state, grant } = await machine()
  await grant()
  await api.call(servers.tools, target)
  state.accepted.clear()
  state.machine = () => 'invalid_client'
  expect(await api.refused(servers.tools, target)).toMatchObject({ code: 'OAUTH_REQUIRED' })
  const { items } = await api.call(traffic.list, target)
  const messages = await Promise.all(items.map(({ id }) => api.call(traffic.get, { ...target, frameId: id })))
  expect(messages.map(({ exchange }) => exchange?.status)).toContain(401)
})

test.each(['ec', 'rsa', 'ed25519'] as const)(
  'a private key of kind %s signs the assertion of the client',
  async kind => {
    const pair =
      kind === 'ec'
        ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
        : kind === 'rsa'
          ? generateKeyPairSync('rsa', { modulusLength: 2048 })
          : generateKeyPairSync('ed25519')
    const seen: unknown[] = []
    const { grant, authority, api, target } = await machine(form => {
      const claims = claimsOf(form['client_assertion'] ?? '', createPublicKey(pair.privateKey))
      seen.push(claims)
      return claims ? undefined : 'invalid_client'
    })
    const privateKey = pair.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
    await grant({ grant: 'client-credentials', clientId: 'job', privateKey })
    expect(seen).toEqual([expect.objectContaining({ iss: 'job', sub: 'job', aud: authority })])
    expect((await api.call(servers.tools, target)).items).toHaveLength(1)
  },
)

test('the token of a workload is read from its file for every request', async () => {
  const { grant, refused, state, target, api } = await machine(form =>
    form['grant_type'] === 'urn:ietf:params:oauth:grant-type:jwt-bearer' ? undefined : 'unsupported_grant_type',
  )
  const file = join(temporaryDirectory(), 'token')
  const own: GrantRequest = { grant: 'workload-identity', assertion: { from: 'file', name: file } }
  expect((await refused(own)).message).toContain(`the file ${file} cannot be read: ENOENT`)
  const alive = jwt({ sub: 'workload', exp: Date.now() / 1000 + 600 })
  writeFileSync(file, `${alive}\n`)
  expect(await grant(own)).toMatchObject({ grant: 'workload-identity', clientId: null })
  expect(state.redeemed.at(-1)).toMatchObject({ assertion: alive })
  const next = jwt({ sub: 'next', exp: Date.now() / 1000 + 600 })
  writeFileSync(file, next)
  state.accepted.clear()
  await api.call(servers.tools, target)
  expect(state.redeemed.at(-1)).toMatchObject({ assertion: next })
  const before = state.redeemed.length
  writeFileSync(file, jwt({ exp: 60 }))
  expect((await refused(own)).message).toContain(`the token in the file ${file} expired at 1970-01-01T00:01:00Z`)
  expect(state.redeemed).toHaveLength(before)
})

test('an ID token is exchanged at the identity provider for an assertion', async () => {
  vi.stubEnv('ID_TOKEN', jwt({ sub: 'person' }))
  onTestFinished(() => void vi.unstubAllEnvs())
  const idp = await startOAuthServer()
  idp.oddities.metadata = { response_types_supported: null, authorization_endpoint: null }
  const exchanged: unknown[] = []
  idp.oddities.answers['/token'] = () =>
    Response.json({
      access_token: jwt({ sub: 'grant' }),
      issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
      token_type: 'N_A',
    })
  const { grant, refused, state } = await machine((form, header) => {
    exchanged.push(form['assertion'])
    return header === `Basic ${Buffer.from(`job:${SECRET}`).toString('base64')}` ? undefined : 'invalid_client'
  })
  const own: GrantRequest = {
    grant: 'enterprise',
    clientId: 'job',
    clientSecret: SECRET,
    assertion: { from: 'environment', name: 'ID_TOKEN' },
    provider: { issuer: idp.authority, clientId: 'at-idp' },
  }
  expect(await grant(own)).toMatchObject({ signedIn: true, grant: 'enterprise' })
  expect(exchanged).toEqual([jwt({ sub: 'grant' })])
  idp.oddities.answers['/token'] = () => Response.json({ error: 'invalid_grant' }, { status: 400 })
  expect((await refused(own)).message).toContain(
    `${new URL(idp.authority).host} does not exchange the ID token: Token exchange failed: invalid_grant.`,
  )
  expect(state.redeemed).toHaveLength(1)
})

test('each refusal of an authorization server is a sentence, and nothing is stored', async () => {
  const { refused, state, oddities, authority, api, target } = await machine()
  const { host } = new URL(authority)
  const because = async (own?: GrantRequest) => {
    const { code, message, details } = await refused(own)
    expect([code, details]).toEqual(['OAUTH_REQUIRED', { reason: 'SERVER_GRANT' }])
    return message.replace('The grant of the server "guarded" gives no token: ', '')
  }
  expect(await because({ grant: 'client-credentials', clientId: 'job', clientSecret: 'wrong' })).toBe(
    `${host} does not know the client "job", or its secret is wrong.`,
  )
  for (const [error, sentence] of [
    ['unsupported_grant_type', 'does not offer the client_credentials grant.'],
    ['unauthorized_client', 'does not let the client "job" use the client_credentials grant.'],
    ['invalid_scope', 'does not give the client "job" the scope that was asked for; --scope names another one.'],
    ['out_of_tea', 'refused, out_of_tea.'],
  ] as const) {
    state.machine = () => error
    expect(await because()).toBe(`${host} ${sentence}`)
  }
  oddities.answers['/token'] = () => new Response('<html>', { headers: { 'content-type': 'text/html' } })
  expect(await because()).toBe(`${host} answered without a token.`)
  oddities.answers['/.well-known/oauth-authorization-server'] = () => new Response('', { status: 404 })
  expect(await because()).toBe(`${host} has no OAuth metadata, so its token endpoint is not known.`)
  expect(await api.call(signIns.get, target)).toMatchObject({ signedIn: false, grant: null })
})

const ENTERPRISE: GrantRequest = {
  grant: 'enterprise',
  clientId: 'job',
  clientSecret: SECRET,
  assertion: { from: 'environment', name: 'ID_TOKEN' },
  provider: { issuer: '', clientId: 'at-idp', clientSecret: 'provider-secret-of-mine' },
}

/** A grant whose ID token is exchanged at an identity provider. */
async function exchanging(idToken: string) {
  vi.stubEnv('ID_TOKEN', idToken)
  onTestFinished(() => void vi.unstubAllEnvs())
  const idp = await startOAuthServer()
  const own = { ...ENTERPRISE, provider: { ...ENTERPRISE.provider!, issuer: idp.authority } }
  return { idp, own, ...(await machine(() => undefined)) }
}

test('what a token endpoint and an identity provider repeat of secrets is left out of the reason', async () => {
  const { refused, oddities, idp, own } = await exchanging('plain-id-token-of-mine')
  const said = `you sent ${SECRET} and plain-id-token-of-mine and provider-secret-of-mine`
  const answers = [
    () => Response.json({ error: 'invalid_client', error_description: said }, { status: 400 }),
    () => Response.json({ error: `odd ${said}` }, { status: 400 }),
    () => new Response(`<html>${'x'.repeat(400)}${said}`, { status: 400, headers: { 'content-type': 'text/html' } }),
    () => Response.json({ odd: said }, { status: 400 }),
  ]
  for (const answer of answers) {
    oddities.answers['/token'] = answer
    idp.oddities.answers['/token'] = answer
    for (const [grant, sent] of [
      [BASIC, ['correct']],
      [own, ['correct', 'plain-id', 'provider-secret']],
    ] as const) {
      const { code, message } = await refused(grant)
      expect(code).toBe('OAUTH_REQUIRED')
      for (const part of sent) expect(message).not.toContain(part)
    }
    idp.oddities.answers['/token'] = () =>
      Response.json({
        access_token: 'opaque-assertion-of-the-provider',
        issued_token_type: 'urn:ietf:params:oauth:token-type:id-jag',
        token_type: 'N_A',
      })
    oddities.answers['/token'] = () =>
      Response.json({ error: 'invalid_grant', error_description: 'opaque-assertion-of-the-provider' }, { status: 400 })
    expect((await refused(own)).message).toContain('for another audience ([secret]).')
  }
})

test('an outage of an authorization server or an identity provider is no refusal, and names its host', async () => {
  const { refused, oddities, authority, idp, own } = await exchanging(jwt({ sub: 'person' }))
  const metadata = '/.well-known/oauth-authorization-server'
  const down = (status: number) => () => new Response('<html>', { status, headers: { 'content-type': 'text/html' } })
  const busy = (error: string) => () => Response.json({ error }, { status: 400 })
  for (const [place, { host }, grant] of [
    [oddities, new URL(authority), BASIC],
    [idp.oddities, new URL(idp.authority), own],
  ] as const)
    for (const [path, answer, because] of [
      ['/token', down(503), 'answered with HTTP 503'],
      ['/token', down(500), 'answered with HTTP 500'],
      ['/token', busy('server_error'), 'answered with server_error'],
      ['/token', busy('temporarily_unavailable'), 'answered with temporarily_unavailable'],
      [metadata, down(503), 'answered with HTTP 503'],
    ] as const) {
      place.answers = { [path]: answer }
      expect(await refused(grant)).toMatchObject({
        code: 'SERVER_UNREACHABLE',
        message: `The grant of the server "guarded" gives no token: ${host} ${because}.`,
      })
      place.answers = {}
    }
})

test('no token is asked for while the metadata of the server fail, since they may require proofs', async () => {
  const { refused, oddities, state, authority, url } = await machine()
  oddities.answers[`mcp ${oddities.resourcePath}`] = () => new Response('', { status: 500 })
  expect(await refused({ ...BASIC, issuer: authority })).toMatchObject({
    code: 'SERVER_UNREACHABLE',
    message: `The grant of the server "guarded" gives no token: ${new URL(url).host} answered with HTTP 500.`,
  })
  expect(state.redeemed).toEqual([])
})

test('an identity provider gets no token for a grant that nobody waits for any more', async () => {
  const { idp, own, authority, url } = await exchanging(jwt({ sub: 'person' }))
  const given = new AbortController()
  const asked: string[] = []
  const metadata = '/.well-known/oauth-authorization-server'
  idp.oddities.answers = {
    [metadata]: () => {
      asked.push('metadata')
      given.abort()
      const fields = { issuer: idp.authority, token_endpoint: `${idp.authority}/token` }
      return Response.json({ ...fields, authorization_endpoint: idp.authority, response_types_supported: ['code'] })
    },
    '/token': () => {
      asked.push('token')
      return Response.json({ error: 'invalid_grant' }, { status: 400 })
    },
  }
  const grant = { ...own, issuer: authority }
  await expect(requestTokens({ name: 'guarded', url }, grant, { signal: given.signal })).rejects.toThrow('aborted')
  // Its token would be asked for before that of another grant.
  await expect(requestTokens({ name: 'guarded', url }, grant)).rejects.toThrow('does not exchange')
  expect(asked).toEqual(['metadata', 'metadata', 'token'])
})

test('the host of an identity provider is named in its failures', async () => {
  const { refused, idp, own } = await exchanging(jwt({ sub: 'person' }))
  idp.oddities.metadata = { issuer: 'https://other.example' }
  expect((await refused(own)).message).toContain(
    `${new URL(idp.authority).host} published the metadata of another authorization server.`,
  )
})

test('a refusal names the proof that was sent', async () => {
  const { refused, state, authority } = await machine()
  const { host } = new URL(authority)
  const file = join(temporaryDirectory(), 'token')
  writeFileSync(file, jwt({ sub: 'workload' }))
  const workload: GrantRequest = {
    grant: 'workload-identity',
    clientId: 'job',
    assertion: { from: 'file', name: file },
  }
  for (const [grant, error, because] of [
    [BASIC, 'invalid_grant', 'does not take the client "job" with its secret'],
    [workload, 'invalid_client', `does not know the client "job", or the token in the file ${file} is wrong`],
    [
      workload,
      'invalid_grant',
      `does not take the token in the file ${file}: it has ended, or is for another audience`,
    ],
  ] as const) {
    state.machine = () => error
    expect((await refused(grant)).message).toContain(`${host} ${because}.`)
  }
})

test('an authorization server without a page for the browser is enough', async () => {
  const { grant, oddities } = await machine()
  oddities.metadata = { authorization_endpoint: null, response_types_supported: null }
  expect(await grant()).toMatchObject({ signedIn: true })
})

test('the secret of a grant goes to no other authorization server than the one it was given for', async () => {
  const { api, store, target, state, oddities, authority, grant } = await machine()
  await grant()
  const other = await startOAuthServer()
  oddities.resource = { authorization_servers: [other.authority] }
  state.accepted.clear()
  expect(await api.refused(servers.tools, target)).toMatchObject({
    code: 'OAUTH_REQUIRED',
    message: `The server "guarded" needs a new sign-in: it names ${other.authority}, and its grant is for ${authority}. Sign in again.`,
  })
  expect(other.state.redeemed).toEqual([])
  const row = store.servers.find(target.serverId)!
  await api.call(servers.update, { ...target, body: { url: other.url } })
  expect(row.secrets.grant).toBeDefined()
  expect(store.servers.find(target.serverId)!.secrets.grant).toBeUndefined()
})

test('a key that cannot be read, a program and two proofs at once are refused before anything is sent', async () => {
  const { api, state, target, refused } = await machine()
  expect(await refused({ grant: 'client-credentials', clientId: 'job', privateKey: 'none' })).toMatchObject({
    code: 'VALIDATION_ERROR',
  })
  expect(await refused({ ...BASIC, privateKey: 'too' })).toMatchObject({ code: 'VALIDATION_ERROR' })
  const body = { name: 'program', enabled: true, transportType: 'stdio' as const, command: 'node' }
  const { id: serverId } = await api.call(servers.create, { projectId: target.projectId, body })
  expect(await api.refused(signIns.grant, { projectId: target.projectId, serverId, body: BASIC })).toMatchObject({
    code: 'VALIDATION_ERROR',
  })
  expect(state.redeemed).toEqual([])
})

test('a sign-out deletes the grant, and tokens of a person replace it', async () => {
  const { api, store, target, url, grant } = await machine()
  await grant()
  await api.call(signIns.delete, target)
  expect(store.servers.find(target.serverId)).toMatchObject({ secrets: {}, tokens: undefined })
  await grant()
  await api.call(servers.importTokens, { ...target, body: { serverUrl: url, tokens: { access_token: 'of-a-person' } } })
  expect(await api.call(signIns.get, target)).toMatchObject({ signedIn: true, refreshable: false, grant: null })
})

test('a server that wants more scopes of a grant is reported with the option that asks for them', async () => {
  const { api, target, oddities, grant } = await machine()
  await grant()
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
  oddities.answers['mcp /mcp'] = () => new Response('', { status: 403, headers })
  expect((await api.refused(servers.tools, target)).message).toContain(
    "Sign in with it and its grant again: mcpdeck sign-in 'guarded' --grant … --scope 'tools write'.",
  )
})

test('no answer and no recorded message holds a secret of a grant', async () => {
  const { api, target, state, grant } = await machine()
  const answers = [await grant(), await api.call(signIns.get, target), await api.call(servers.get, target)]
  await api.call(servers.tools, target)
  const { items } = await api.call(traffic.list, target)
  const messages = await Promise.all(items.map(({ id }) => api.call(traffic.get, { ...target, frameId: id })))
  const text = JSON.stringify([answers, messages])
  for (const secret of [SECRET, ...state.secrets]) expect(text).not.toContain(secret)
})
