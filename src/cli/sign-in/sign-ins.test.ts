import { once } from 'node:events'
import { request, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startOAuthServer, visit } from '../../../test/servers/oauth-server.ts'
import type { SignIn, SignInClient } from '../../domain/servers/sign-in.ts'
import { createSignIns, type SignInTimes } from './sign-ins.ts'

const never = new AbortController().signal

type Server = Awaited<ReturnType<typeof startOAuthServer>>

async function planned({ url }: Pick<Server, 'url'>, times?: Partial<SignInTimes>) {
  const signIns = createSignIns({ stepMs: 10_000, personMs: 60_000, ...times })
  return await signIns.plan(url, { scopes: [], keepsKeys: true, signal: never })
}

async function begun(server: Server, client: SignInClient = {}, times?: Partial<SignInTimes>): Promise<SignIn> {
  const plan = await planned(server, times)
  const signIn = await plan.begin(client, never)
  onTestFinished(() => signIn.end())
  return signIn
}

/** Returns status and text of the answer to a request with any method and headers. */
async function ask(url: string, options: { method?: string; headers?: Record<string, string> } = {}) {
  const asked = request(url, { agent: false, ...options }).end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  return { status: answer.statusCode, text: await text(answer), headers: answer.headers }
}

test('a sign-in registers a client, sends PKCE, state and resource, and returns tokens to import', async () => {
  const server = await startOAuthServer()
  const plan = await planned(server)
  expect(plan).toMatchObject({ host: new URL(server.authority).host, scopes: ['tools'], registers: true })
  expect(server.state.clients.size).toBe(0)
  const signIn = await plan.begin({}, never)
  const asked = Object.fromEntries(new URL(signIn.link).searchParams)
  expect(asked).toMatchObject({
    code_challenge_method: 'S256',
    resource: server.url,
    scope: 'tools',
    redirect_uri: signIn.callback,
    state: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(server.state.clients.get(asked['client_id']!)).toMatchObject({
    client_name: 'mcpdeck',
    redirect_uris: [signIn.callback],
  })
  const { back } = await visit(signIn.link)
  const page = await ask(back)
  expect(page).toMatchObject({ status: 200, text: expect.stringContaining('This page can be closed') })
  expect(page.headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  const body = await signIn.tokens
  expect(body).toMatchObject({
    serverUrl: server.url,
    clientInformation: { clientId: asked['client_id'] },
    tokens: { token_type: 'Bearer', expires_in: 3600, refresh_token: expect.any(String) },
  })
  expect(server.state.accepted.has(body.tokens.access_token)).toBe(true)
  expect(server.state.redeemed).toMatchObject([{ grant_type: 'authorization_code', resource: server.url }])
  await expect(ask(back)).rejects.toThrow('ECONNREFUSED')
})

test('metadata is read from the address that the refusal of the server names', async () => {
  const server = await startOAuthServer()
  server.oddities.resourcePath = '/elsewhere'
  expect(await planned(server)).toMatchObject({ host: new URL(server.authority).host, scopes: ['tools'] })
})

test('a request to the callback that is not an answer is refused, and the sign-in continues', async () => {
  const server = await startOAuthServer()
  const signIn = await begun(server)
  const { back } = await visit(signIn.link)
  const own = new URL(back)
  const { port } = own
  expect(await ask(`http://127.0.0.1:${port}/`)).toMatchObject({ status: 404 })
  expect(await ask(back.replace('/callback', '/callback/else'))).toMatchObject({ status: 404 })
  expect(await ask(back, { method: 'POST' })).toMatchObject({ status: 405 })
  expect(await ask(back, { headers: { host: `rebound.example:${port}` } })).toMatchObject({ status: 421 })
  expect(await ask(back, { headers: { host: '127.0.0.1' } })).toMatchObject({ status: 421 })
  expect(await ask(signIn.callback)).toMatchObject({ status: 400 })
  expect(await ask(`${back}&code=another`)).toMatchObject({ status: 400 })
  expect(await ask(`${back}&error=access_denied`)).toMatchObject({ status: 400 })
  await expect(fetch(`http://[::1]:${port}/callback`)).rejects.toThrow('fetch failed')
  expect(server.state.redeemed).toEqual([])
  expect(await ask(back)).toMatchObject({ status: 200 })
  await signIn.tokens
})

test('an answer that was refused before a listener was added is still reported', async () => {
  const server = await startOAuthServer()
  const signIn = await begun(server)
  const { back } = await visit(signIn.link)
  const wrong = new URL(back)
  deny('access_denied')(wrong)
  await ask(wrong.href)
  const told: string[] = []
  signIn.onRefused(why => told.push(why))
  expect(told).toEqual([expect.stringContaining('says that access was denied')])
})

test('of two answers only one is redeemed, and only once', async () => {
  const server = await startOAuthServer()
  const signIn = await begun(server)
  const { back } = await visit(signIn.link)
  const answers = await Promise.allSettled([ask(back), ask(back)])
  expect(
    answers.filter(({ status, ...rest }) => status === 'fulfilled' && 'value' in rest && rest.value.status === 200),
  ).toHaveLength(1)
  await signIn.tokens
  expect(server.state.redeemed).toHaveLength(1)
})

test('the address at which a browser on another machine ended can be pasted', async () => {
  const server = await startOAuthServer()
  const signIn = await begun(server)
  const { back } = await visit(signIn.link)
  expect(signIn.take('no address')).toContain(`begins with ${signIn.callback}?`)
  expect(signIn.take('https://elsewhere.example/callback?code=1&state=2')).toContain('begins with')
  expect(signIn.take(signIn.callback)).toContain('carries no answer')
  expect(signIn.take(` ${back}\n`)).toBeUndefined()
  expect(await signIn.tokens).toMatchObject({ serverUrl: server.url })
})

test('a given client is used unchanged, with the chosen port', async () => {
  const server = await startOAuthServer()
  server.state.clients.set('given', {})
  const signIn = await begun(server, { clientId: 'given', clientSecret: 'client-secret' })
  const { port } = new URL(signIn.callback)
  const plan = await planned(server)
  await expect(plan.begin({ clientId: 'given', port: Number(port) }, never)).rejects.toThrow(
    `The browser cannot come back to port ${port}: `,
  )
  signIn.take((await visit(signIn.link)).back)
  expect(await signIn.tokens).toMatchObject({ clientInformation: { clientId: 'given', clientSecret: 'client-secret' } })
  expect([...server.state.clients.keys()]).toEqual(['given'])
})

describe('an answer is refused, and the sign-in stays open for the right one', () => {
  test.each<[string, (back: URL) => void, string | RegExp]>([
    ['of another state', back => back.searchParams.set('state', 'other'), /from another sign-in/],
    ['without a state', back => back.searchParams.delete('state'), /from another sign-in/],
    ['of another issuer', back => back.searchParams.set('iss', 'https://evil.example'), /another authorization server/],
    ['without an issuer that was announced', back => back.searchParams.delete('iss'), /another authorization server/],
    ['with an error', deny('access_denied'), /says that access was denied/],
    ['with an error of its own', deny('odd_\u001b[31mone'), /refused, odd_/],
    [
      'with an error of another state, which is not repeated',
      back => {
        deny('server_error')(back)
        back.searchParams.set('state', 'other')
      },
      /^Refused an answer from another sign-in/,
    ],
    [
      'with an error of another issuer, which is not repeated',
      back => {
        deny('server_error')(back)
        back.searchParams.set('iss', 'https://evil.example')
      },
      /^Refused an answer from another authorization server/,
    ],
  ])('%s', async (_, change, sentence) => {
    const server = await startOAuthServer()
    const signIn = await begun(server)
    const told: string[] = []
    signIn.onRefused(why => told.push(why))
    const { back } = await visit(signIn.link)
    const wrong = new URL(back)
    change(wrong)
    expect(signIn.take(wrong.href)).toMatch(sentence)
    for (let count = 0; count < 3; count += 1)
      expect(await ask(wrong.href)).toMatchObject({ status: 400, text: expect.stringMatching(sentence) })
    expect(told).toEqual([expect.stringMatching(sentence)])
    expect(server.state.redeemed).toEqual([])
    expect(await ask(back)).toMatchObject({ status: 200 })
    expect(await signIn.tokens).toMatchObject({ serverUrl: server.url })
  })

  test.each<Record<string, string>>([
    { origin: 'https://evil.example' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
  ])('sent by a page itself: %j', async headers => {
    const server = await startOAuthServer()
    const signIn = await begun(server)
    const told: string[] = []
    signIn.onRefused(why => told.push(why))
    const { back } = await visit(signIn.link)
    expect(await ask(back, { headers })).toMatchObject({ status: 403 })
    expect(told).toEqual([expect.stringContaining('Refused an answer that a web page sent')])
    const redirect = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect(await ask(back, { headers: redirect })).toMatchObject({ status: 200 })
    await signIn.tokens
  })
})

describe('the authorization server refuses a code', () => {
  test('that was not issued, and the callback is closed', async () => {
    const server = await startOAuthServer()
    const signIn = await begun(server)
    const back = new URL((await visit(signIn.link)).back)
    back.searchParams.set('code', 'forged')
    expect(signIn.take(back.href)).toBeUndefined()
    await expect(signIn.tokens).rejects.toThrow(/does not take the code/)
    await expect(ask(signIn.callback)).rejects.toThrow('ECONNREFUSED')
  })

  test('that was used before', async () => {
    const server = await startOAuthServer()
    const first = await begun(server)
    const { back } = await visit(first.link)
    const used = new URL(back).searchParams.get('code')!
    server.state.grants.delete(used)
    first.take(back)
    await expect(first.tokens).rejects.toThrow(/does not take the code: it expired, or was used before/)
  })
})

function deny(code: string): (back: URL) => void {
  return back => {
    back.searchParams.delete('code')
    back.searchParams.set('error', code)
  }
}

const huge = () => new Response('x'.repeat(1024 * 1024 + 1), { headers: { 'content-type': 'application/json' } })
const gone = () => new Response('', { status: 404 })
const METADATA = '/.well-known/oauth-authorization-server'
const RESOURCE = 'mcp /.well-known/oauth-protected-resource/mcp'

describe('nothing is opened if', () => {
  test.each<[string, (server: Server) => void, RegExp]>([
    ['there is no metadata', ({ oddities }) => void (oddities.answers[METADATA] = gone), /has no OAuth metadata/],
    [
      'metadata is of another issuer',
      ({ oddities }) => void (oddities.metadata['issuer'] = 'https://other.example'),
      /published the metadata of another authorization server/,
    ],
    [
      'PKCE is not checked',
      ({ oddities }) => void (oddities.metadata['code_challenge_methods_supported'] = ['plain']),
      /does not check PKCE with S256/,
    ],
    [
      'tokens would go without encryption',
      ({ oddities }) => void (oddities.metadata['token_endpoint'] = 'http://auth.example/token'),
      /names an address without encryption: http:\/\/auth.example\/token/,
    ],
    [
      'a page without encryption would be opened',
      ({ oddities }) => void (oddities.metadata['authorization_endpoint'] = 'http://auth.example/authorize'),
      /names an address without encryption/,
    ],
    [
      'the metadata is for another server',
      ({ oddities }) => void (oddities.resource['resource'] = 'https://other.example/mcp'),
      /is for another server: https:\/\/other.example\/mcp/,
    ],
    ['metadata is huge', ({ oddities }) => void (oddities.answers[METADATA] = huge), /answered more than 1 MiB/],
    [
      'the metadata of the server is huge',
      ({ oddities }) => void (oddities.answers[RESOURCE] = huge),
      /more than 1 MiB/,
    ],
    [
      'metadata is none',
      ({ oddities }) => void (oddities.answers[METADATA] = () => Response.json({ issuer: 1 })),
      /metadata that is none of OAuth/,
    ],
    [
      'metadata is no JSON',
      ({ oddities }) => void (oddities.answers[METADATA] = () => new Response('<html>')),
      /metadata that is none of OAuth/,
    ],
    [
      'metadata leads elsewhere',
      ({ oddities }) => void (oddities.answers[METADATA] = () => Response.redirect('http://127.0.0.1:1/')),
      /has no OAuth metadata/,
    ],
    [
      'nobody listens',
      ({ oddities }) => void (oddities.resource['authorization_servers'] = ['http://127.0.0.1:1']),
      /127.0.0.1:1 could not be reached/,
    ],
  ])('%s', async (_, spoil, sentence) => {
    const server = await startOAuthServer()
    spoil(server)
    await expect(planned(server)).rejects.toThrow(sentence)
    expect(server.state.clients.size).toBe(0)
  })

  test('the servers do not answer in time', async () => {
    const server = await startOAuthServer()
    server.oddities.answers[METADATA] = () => new Promise<Response>(() => undefined)
    await expect(planned(server, { stepMs: 300 })).rejects.toThrow(/did not answer within 0.3 s/)
  })
})

describe('the registration', () => {
  test.each<[string, () => Response, RegExp, boolean]>([
    [
      'is refused',
      () => Response.json({ error: 'invalid_redirect_uri' }, { status: 400 }),
      /does not register mcpdeck \(HTTP 400, invalid_redirect_uri\). Register a client there/,
      true,
    ],
    ['is answered without a client', () => Response.json({}), /did not answer the registration with a client/, false],
  ])('%s', async (_, answer, sentence, wantsClient) => {
    const server = await startOAuthServer()
    server.oddities.answers['/register'] = answer
    const plan = await planned(server)
    const failed = await plan.begin({}, never).catch((error: unknown) => error)
    expect(failed).toMatchObject({ name: 'SignInError', message: expect.stringMatching(sentence), wantsClient })
  })

  test('is not offered if there is no registration address', async () => {
    const server = await startOAuthServer()
    server.oddities.metadata['registration_endpoint'] = undefined
    expect(await planned(server)).toMatchObject({ registers: false })
  })
})

describe('the token endpoint', () => {
  test.each<[string, () => Response, RegExp]>([
    ['answers no token', () => Response.json({ token_type: 'Bearer' }), /answered the code with no token/],
    ['answers no JSON', () => new Response('<html>'), /answered the code with no token/],
    ['answers without end', huge, /answered more than 1 MiB/],
    [
      'refuses the client',
      () => Response.json({ error: 'invalid_client' }, { status: 401 }),
      /does not know this client, or its secret is wrong/,
    ],
  ])('%s', async (_, answer, sentence) => {
    const server = await startOAuthServer()
    const signIn = await begun(server)
    server.oddities.answers['/token'] = answer
    signIn.take((await visit(signIn.link)).back)
    await expect(signIn.tokens).rejects.toThrow(sentence)
  })

  test('fails if it does not answer in time', async () => {
    const server = await startOAuthServer()
    const signIn = await begun(server, {}, { stepMs: 1000 })
    server.oddities.answers['/token'] = () => new Promise<Response>(() => undefined)
    signIn.take((await visit(signIn.link)).back)
    await expect(signIn.tokens).rejects.toThrow(/did not answer within 1 s/)
  })
})

test('a sign-in ends if nobody returns in time, and if it is cancelled', async () => {
  const server = await startOAuthServer()
  const late = await begun(server, {}, { personMs: 50 })
  await expect(late.tokens).rejects.toThrow(/No sign-in was completed at/)
  const left = await begun(server)
  left.end()
  await expect(left.tokens).rejects.toThrow('was cancelled')
  await expect(ask(left.callback)).rejects.toThrow('ECONNREFUSED')
  expect(server.state.redeemed).toEqual([])
})
