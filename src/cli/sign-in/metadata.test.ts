import { describe, expect, test } from 'vitest'
import { startOAuthServer, visit } from '../../../test/servers/oauth-server.ts'
import { signInLines } from '../../domain/servers/sign-in.ts'
import { createSignIns } from './sign-ins.ts'

const never = new AbortController().signal

type Server = Awaited<ReturnType<typeof startOAuthServer>>

async function planned({ url }: Pick<Server, 'url'>) {
  return await createSignIns().plan(url, { scopes: [], keepsKeys: true, signal: never })
}

describe('metadata as real servers send it', () => {
  test.each<[string, (server: Server) => void]>([
    [
      'optional fields that are null or empty',
      ({ oddities }) => {
        const none = { scopes_supported: null, revocation_endpoint: null, token_endpoint_auth_methods_supported: null }
        oddities.metadata = { ...none, service_documentation: '', op_policy_uri: '' }
        oddities.resource = { resource_name: null, resource_documentation: '' }
      },
    ],
    ['an address with a slash more', ({ oddities, url }) => (oddities.resource = { resource: `${url}/` })],
    [
      'a challenge of another scheme before it',
      server =>
        challenge(server, `Basic realm="x", Bearer error_description="a, b", resource_metadata="${elsewhere(server)}"`),
    ],
    [
      'two addresses, of which the first is not there',
      server => {
        const { origin } = new URL(server.url)
        challenge(server, `Bearer resource_metadata="${origin}/nothing", resource_metadata="${elsewhere(server)}"`)
      },
    ],
  ])('is accepted: %s', async (_, spoil) => {
    const server = await startOAuthServer()
    spoil(server)
    const signIn = await (await planned(server)).begin({}, never)
    delete server.oddities.answers['mcp /mcp']
    expect(signIn.take((await visit(signIn.link)).back)).toBeUndefined()
    expect(await signIn.tokens).toMatchObject({ serverUrl: server.url })
  })

  test('a registration address that is null counts as absent', async () => {
    const server = await startOAuthServer()
    server.oddities.metadata = { registration_endpoint: null }
    expect(await planned(server)).toMatchObject({ registers: false })
  })

  /** Moves the metadata to an address other than that of the standard, and returns the address. */
  function elsewhere({ oddities, url }: Server): string {
    oddities.resourcePath = '/elsewhere'
    return `${new URL(url).origin}/elsewhere`
  }
  function challenge({ oddities }: Server, value: string): void {
    oddities.answers['mcp /mcp'] = () => new Response('', { status: 401, headers: { 'www-authenticate': value } })
  }
})

test('the address of a server may contain a query', async () => {
  const server = await startOAuthServer()
  const { host } = new URL(server.authority)
  expect(await planned({ url: `${server.url}?tenant=1` })).toMatchObject({ host })
})

describe('a server without metadata, which the first protocol allows', () => {
  const gone = () => new Response('', { status: 404 })

  async function bare() {
    const server = await startOAuthServer()
    const { answers } = server.oddities
    answers['mcp /mcp'] = () => new Response('', { status: 401 })
    answers['mcp /.well-known/oauth-protected-resource/mcp'] = gone
    return { answers, server, origin: new URL(server.url).origin }
  }

  test('signs in at the addresses that this protocol names', async () => {
    const { answers, server, origin } = await bare()
    answers['mcp /register'] = () => Response.json({ client_id: 'old', redirect_uris: [] }, { status: 201 })
    answers['mcp /token'] = () => Response.json({ access_token: 'given', token_type: 'Bearer' })
    const plan = await planned(server)
    expect(plan).toMatchObject({ host: new URL(origin).host, registers: true, isGuessed: true })
    expect(signInLines(plan).map(({ text }) => text)).toContainEqual(expect.stringContaining('publishes no metadata'))
    const signIn = await plan.begin({}, never)
    const link = new URL(signIn.link)
    expect(`${link.origin}${link.pathname}`).toBe(`${origin}/authorize`)
    expect(link.searchParams.get('code_challenge_method')).toBe('S256')
    signIn.take(`${signIn.callback}?code=one&state=${link.searchParams.get('state')}`)
    expect(await signIn.tokens).toMatchObject({
      clientInformation: { clientId: 'old' },
      tokens: { access_token: 'given' },
    })
  })

  test('is reported if nothing is at these addresses', async () => {
    const { server } = await bare()
    const begun = (await planned(server)).begin({}, never)
    await expect(begun).rejects.toThrow(/has no OAuth metadata, and registers no client at \/register/)
  })

  test('is not assumed to need a sign-in if it accepts requests without one', async () => {
    const { answers, server } = await bare()
    answers['mcp /mcp'] = () => new Response('', { status: 405 })
    await expect(planned(server)).rejects.toThrow(/has no OAuth metadata, and the server answers HTTP 405/)
  })
})

describe('a client metadata document', () => {
  const documentUrl = 'https://client.example/mcpdeck.json'

  test('identifies the client if the authorization server supports such documents', async () => {
    const server = await startOAuthServer()
    server.oddities.metadata = { client_id_metadata_document_supported: true, registration_endpoint: null }
    const plan = await planned(server)
    expect(plan).toMatchObject({ registers: false, takesDocuments: true })
    const signIn = await plan.begin({ documentUrl }, never)
    signIn.tokens.catch(() => undefined)
    expect(new URL(signIn.link).searchParams.get('client_id')).toBe(documentUrl)
    signIn.end()
  })

  test('is not used if the authorization server does not support it, or if a client id is given', async () => {
    const server = await startOAuthServer()
    const plan = await planned(server)
    expect(plan).toMatchObject({ takesDocuments: false })
    const registered = await plan.begin({ documentUrl }, never)
    expect(server.state.clients.has(new URL(registered.link).searchParams.get('client_id')!)).toBe(true)
    registered.end()
    server.oddities.metadata = { client_id_metadata_document_supported: true }
    const named = await (await planned(server)).begin({ documentUrl, clientId: 'mine' }, never)
    expect(new URL(named.link).searchParams.get('client_id')).toBe('mine')
    named.end()
  })
})
