import { describe, expect, test } from 'vitest'
import { startOAuthServer, visit } from '../../../test/servers/oauth-server.ts'
import { createSignIns } from './sign-ins.ts'

const never = new AbortController().signal

type Server = Awaited<ReturnType<typeof startOAuthServer>>

async function planned({ url }: Pick<Server, 'url'>) {
  return await createSignIns().plan(url, { scopes: [], signal: never })
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
