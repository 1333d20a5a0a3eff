import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'

/** How an authorization server deviates from the standard. */
export type Oddities = {
  /** Fields that override its metadata, and that of the MCP server. */
  metadata: Record<string, unknown>
  resource: Record<string, unknown>
  /** The address of the metadata of the MCP server. */
  resourcePath: string
  /** Answers in place of the usual ones. */
  answers: Record<string, () => Response | Promise<Response>>
  /** Fields that override the query of its answers. */
  callback: Record<string, string>
}

type Grant = { challenge: string; redirectUri: string; clientId: string }

/** Default lifetime of tokens, in seconds. */
const LASTS_S = 3600
const RESOURCE = '/.well-known/oauth-protected-resource/mcp'

async function listening(app: Hono): Promise<string> {
  const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1', overrideGlobalObjects: false })
  await once(server, 'listening')
  onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** An MCP server over HTTP that accepts only tokens of the authorization server beside it. */
export async function startOAuthServer() {
  const oddities: Oddities = { metadata: {}, resource: {}, resourcePath: RESOURCE, answers: {}, callback: {} }
  const state = {
    lastsS: LASTS_S,
    /** Every secret that was issued or received. */
    secrets: [] as string[],
    /** Registered clients, and requests for tokens. */
    clients: new Map<string, { redirect_uris?: string[]; scope?: string; client_name?: string }>(),
    redeemed: [] as Record<string, string>[],
    refreshes: 0,
    /** Tokens that are accepted. */
    accepted: new Set<string>(),
    refreshTokens: new Set<string>(),
    grants: new Map<string, Grant>(),
    /** Verifies the client of a grant without a person; returns an error code. It gets the form and the header. */
    machine: undefined as ((form: Record<string, string>, header: string) => string | undefined) | undefined,
    calls: 0,
  }
  const secret = (kind: string): string => {
    const made = `${kind}-${randomBytes(18).toString('base64url')}`
    state.secrets.push(made)
    return made
  }

  const authorization = new Hono()
  authorization.use(async (context, next) => {
    const odd = oddities.answers[context.req.path]
    return odd ? await odd() : await next()
  })
  authorization.get('/.well-known/oauth-authorization-server', context =>
    context.json({
      issuer: authority,
      authorization_endpoint: `${authority}/authorize`,
      token_endpoint: `${authority}/token`,
      registration_endpoint: `${authority}/register`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none', 'client_secret_basic'],
      authorization_response_iss_parameter_supported: true,
      ...oddities.metadata,
    }),
  )
  authorization.post('/register', async context => {
    const client = await context.req.json<{ redirect_uris: string[] }>()
    const id = `client-${state.clients.size}`
    state.clients.set(id, client)
    return context.json({ ...client, client_id: id }, 201)
  })
  authorization.get('/authorize', context => {
    const { redirect_uri = '', state: sent = '', code_challenge = '', client_id = '' } = context.req.query()
    if (context.req.query('code_challenge_method') !== 'S256' || !state.clients.has(client_id))
      return context.text('refused', 400)
    const back = new URL(redirect_uri)
    const code = secret('code')
    state.grants.set(code, { challenge: code_challenge, redirectUri: redirect_uri, clientId: client_id })
    const answer = { code, state: sent, iss: authority, ...oddities.callback }
    if ('error' in answer) Reflect.deleteProperty(answer, 'code')
    for (const [name, value] of Object.entries(answer)) back.searchParams.set(name, value)
    return context.redirect(back.href)
  })
  authorization.post('/token', async context => {
    const form = await context.req.parseBody<Record<string, string>>()
    state.redeemed.push(form)
    if (form['code_verifier']) state.secrets.push(form['code_verifier'])
    const refuse = (error: string) => context.json({ error }, 400)
    if (state.machine) {
      const error = state.machine(form, context.req.header('authorization') ?? '')
      if (error !== undefined) return refuse(error)
      const access_token = secret('access')
      state.accepted = new Set([access_token])
      return context.json({ access_token, token_type: 'Bearer', expires_in: state.lastsS })
    }
    if (form['grant_type'] === 'refresh_token') {
      if (!state.refreshTokens.delete(form['refresh_token'] ?? '')) return refuse('invalid_grant')
      state.refreshes += 1
    } else {
      const grant = state.grants.get(form['code'] ?? '')
      state.grants.delete(form['code'] ?? '')
      const verified = createHash('sha256')
        .update(form['code_verifier'] ?? '')
        .digest('base64url')
      if (!grant || grant.challenge !== verified || grant.redirectUri !== form['redirect_uri'])
        return refuse('invalid_grant')
      const basic = Buffer.from(context.req.header('authorization')?.slice('Basic '.length) ?? '', 'base64').toString()
      if (grant.clientId !== (form['client_id'] ?? basic.split(':')[0])) return refuse('invalid_client')
    }
    const [access_token, refresh_token] = [secret('access'), secret('refresh')]
    state.accepted = new Set([access_token])
    state.refreshTokens.add(refresh_token)
    return context.json({ access_token, refresh_token, token_type: 'Bearer', expires_in: state.lastsS })
  })

  const mcp = new Hono()
  mcp.use(async (context, next) => {
    const odd = oddities.answers[`mcp ${context.req.path}`]
    return odd ? await odd() : await next()
  })
  mcp.get('*', async (context, next) => {
    if (context.req.path !== oddities.resourcePath) return await next()
    return context.json({
      resource: `${origin}/mcp`,
      authorization_servers: [authority],
      scopes_supported: ['tools'],
      ...oddities.resource,
    })
  })
  mcp.post('/mcp', async context => {
    const token = context.req.header('authorization')?.replace(/^Bearer /, '') ?? ''
    if (!state.accepted.has(token)) {
      const metadata = `${origin}${oddities.resourcePath}`
      return context.text('', 401, { 'www-authenticate': `Bearer resource_metadata="${metadata}"` })
    }
    const { id, method, params } = await context.req.json<{
      id?: number
      method: string
      params?: { protocolVersion?: string }
    }>()
    if (id === undefined) return context.body(null, 202)
    if (method === 'tools/call') state.calls += 1
    const results: Record<string, object> = {
      initialize: {
        protocolVersion: params?.protocolVersion ?? '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'guarded', version: '1' },
      },
      'tools/list': { tools: [{ name: 'whoami', inputSchema: { type: 'object' } }] },
      'tools/call': { content: [{ type: 'text', text: 'You are signed in.' }] },
    }
    const result = results[method]
    if (result) return context.json({ jsonrpc: '2.0', id, result })
    return context.json({ jsonrpc: '2.0', id, error: { code: -32601, message: 'not here' } })
  })
  mcp.all('/mcp', context => context.text('', 405))

  const authority: string = await listening(authorization)
  const origin: string = await listening(mcp)
  return { url: `${origin}/mcp`, origin, authority, oddities, state }
}

/** Acts as a browser with the link of a sign-in: the server agrees at once and redirects back. */
export async function visit(link: string): Promise<{ back: string }> {
  const agreed = await fetch(link, { redirect: 'manual' })
  return { back: agreed.headers.get('location') ?? '' }
}
