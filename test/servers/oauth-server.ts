import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { serve } from '@hono/node-server'
import { Hono } from 'hono'
import { onTestFinished } from 'vitest'
import type { ProofCheck } from './proof-check.ts'

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
  /** Fields that override its tokens. */
  tokens: Record<string, unknown>
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

/** Returns why a code is not redeemed. */
function codeFault(grant: Grant | undefined, form: Record<string, string>, header: string): string | undefined {
  const verified = createHash('sha256')
    .update(form['code_verifier'] ?? '')
    .digest('base64url')
  if (!grant || grant.challenge !== verified || grant.redirectUri !== form['redirect_uri']) return 'invalid_grant'
  const basic = Buffer.from(header.slice('Basic '.length), 'base64').toString()
  return grant.clientId === (form['client_id'] ?? basic.split(':')[0]) ? undefined : 'invalid_client'
}

/** An MCP server over HTTP that accepts only tokens of the authorization server beside it. */
export async function startOAuthServer() {
  const oddities: Oddities = {
    metadata: {},
    resource: {},
    resourcePath: RESOURCE,
    answers: {},
    callback: {},
    tokens: {},
  }
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
    /** Checks proofs of possession, if both servers want them. */
    proofs: undefined as ProofCheck | undefined,
    /** The headers of all requests for tokens and to the MCP server. */
    headers: [] as Record<string, string>[],
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
    state.headers.push(context.req.header())
    const proof = state.proofs?.check(context.req.raw, { at: `${authority}/token`, nonce: state.proofs.nonces.token })
    if (proof && 'refusal' in proof) return context.json({ error: proof.refusal }, 400, proof.headers)
    const issue = (tokens: { access_token: string; refresh_token?: string }) => {
      if (proof) state.proofs?.keys.set(tokens.access_token, proof.thumbprint)
      const token_type = proof ? 'DPoP' : 'Bearer'
      return context.json({ token_type, expires_in: state.lastsS, ...tokens, ...oddities.tokens })
    }
    state.redeemed.push(form)
    if (form['code_verifier']) state.secrets.push(form['code_verifier'])
    const refuse = (error: string) => context.json({ error }, 400)
    if (state.machine) {
      const error = state.machine(form, context.req.header('authorization') ?? '')
      if (error !== undefined) return refuse(error)
      const access_token = secret('access')
      state.accepted = new Set([access_token])
      return issue({ access_token })
    }
    if (form['grant_type'] === 'refresh_token') {
      if (!state.refreshTokens.delete(form['refresh_token'] ?? '')) return refuse('invalid_grant')
      state.refreshes += 1
    } else {
      const grant = state.grants.get(form['code'] ?? '')
      state.grants.delete(form['code'] ?? '')
      const error = codeFault(grant, form, context.req.header('authorization') ?? '')
      if (error !== undefined) return refuse(error)
    }
    const [access_token, refresh_token] = [secret('access'), secret('refresh')]
    state.accepted = new Set([access_token])
    state.refreshTokens.add(refresh_token)
    return issue({ access_token, refresh_token })
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
    const { proofs } = state
    const scheme = proofs ? 'DPoP' : 'Bearer'
    state.headers.push(context.req.header())
    const token = context.req.header('authorization')?.replace(`${scheme} `, '') ?? ''
    if (!state.accepted.has(token)) {
      const metadata = `${origin}${oddities.resourcePath}`
      return context.text('', 401, { 'www-authenticate': `${scheme} resource_metadata="${metadata}"` })
    }
    const proof = proofs?.check(context.req.raw, { at: `${origin}/mcp`, nonce: proofs.nonces.mcp, token })
    if (proof && 'refusal' in proof)
      return context.text('', 401, { 'www-authenticate': `DPoP error="${proof.refusal}"`, ...proof.headers })
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
