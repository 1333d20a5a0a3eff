import { readFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { scenarioUrl } from '../../src/api/contract/scenarios.ts'
import { serve, type ServeOptions } from '../../src/cli/serve/serve.ts'
import { createApi, sandbox, temporaryDirectory, type Api } from './harness.ts'
import type { Answer, Asked } from './scripted-model.ts'

const { clients, environments, userTesting } = contract

export const caps = {
  enabled: true,
  computerEnabled: false,
  sharedSkillsEnabled: false,
  dailyCreditCap: 1000,
  dailyComputerStartCap: 0,
  maxConcurrentComputers: 0,
}

/** Repeats the message, adds if asked to, and never answers a message with "take your time". */
export const helper = ({ prompts, results }: Asked): Answer => {
  const said = prompts.at(-1) ?? ''
  if (said.includes('take your time')) return 'silence'
  if (!said.includes('add') || results.length > 0) return { text: `You said: ${said} ${results.join()}`.trim() }
  return { calls: [{ name: 'get-sum', args: { a: 2, b: 3 } }] }
}

/** An environment that can be published. */
export async function environmentFor(api: Api, name = 'Study', config: object = {}) {
  const { projectId, serverId } = await sandbox(api)
  const client = await api.call(clients.create, {
    projectId,
    body: { name: `${name} client`, config: { modelId: 'small', serverIds: [serverId], ...config } },
  })
  const { id: environmentId } = await api.call(environments.create, { projectId, body: { name, hostId: client.id } })
  return { projectId, serverId, clientId: client.id, environmentId }
}

/** A published environment with its link; guests may get answers. */
export async function published(api: Api, body: object = {}, name?: string, config?: object) {
  const place = await environmentFor(api, name, config)
  const { projectId, environmentId } = place
  const scenario = await api.call(userTesting.publish, { projectId, environmentId, body })
  const target = { projectId, scenarioId: scenario.id }
  await api.call(userTesting.setGuestExecution, { ...target, body: caps })
  return { ...place, ...target, target, scenario, link: scenarioUrl(scenario.link)! }
}

/** An answer of the visitor endpoint. */
export type Visited = { status: number; headers: Headers; body: Record<string, unknown> }

export type Fetch = (request: Request) => Promise<Response>

/** A client for visitors over any fetch. */
export function visitor(fetch: Fetch, link: string) {
  const { origin } = new URL(link)
  const send = async (
    method: string,
    url: string,
    { body, bearer, headers }: { body?: unknown; bearer?: string | undefined; headers?: object } = {},
  ): Promise<Visited> => {
    const response = await fetch(
      new Request(url, {
        method,
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    )
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json') ?? false
    const parsed = isJson ? (JSON.parse(text) as Record<string, unknown>) : { text }
    return { status: response.status, headers: response.headers, body: parsed }
  }
  const session = (token: string) => ({
    token,
    state: () => send('GET', `${origin}/visit/session`, { bearer: token }),
    say: (text: string) => send('POST', `${origin}/visit/session/messages`, { bearer: token, body: { text } }),
    messages: () => send('GET', `${origin}/visit/session/messages`, { bearer: token }),
    rate: (body: unknown) => send('PUT', `${origin}/visit/session/feedback`, { bearer: token, body }),
    end: () => send('DELETE', `${origin}/visit/session`, { bearer: token }),
  })
  const redeem = (proof: { invitation?: string; key?: string; headers?: object } = {}) =>
    send('POST', `${link}/sessions`, {
      body: proof.invitation === undefined ? {} : { invitation: proof.invitation },
      bearer: proof.key,
      headers: proof.headers ?? {},
    })
  return {
    send,
    link,
    origin,
    describe: () => send('GET', link),
    redeem,
    session,
    /** Opens a session; anything except success fails the test. */
    async enter(proof?: { invitation?: string; key?: string; headers?: object }) {
      const { status, body } = await redeem(proof)
      if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`)
      return session(String(body['token']))
    },
  }
}

/** The code of an invitation. The contract has no field for it, so it is sent beside the declared fields. */
export async function invite(api: Api, target: object, email: string) {
  const reply = await api.call(userTesting.upsertMember, { ...target, body: { email } })
  return reply['invitation'] as { memberId: string; email: string; code: string }
}

/** Serves over a real socket until the test ends. */
export async function served(options: Partial<ServeOptions> = {}) {
  const stop = new AbortController()
  let greet: (text: string) => void = () => {}
  const greeted = new Promise<string>(resolve => (greet = resolve))
  const stopped = serve({
    dataDir: temporaryDirectory(),
    json: true,
    rateLimit: 0,
    stdout: greet,
    stderr: () => {},
    signal: stop.signal,
    ...options,
  })
  const greeting = await Promise.race([greeted, stopped.then(() => 'stopped')])
  const { baseUrl, keyFile } = JSON.parse(greeting) as { baseUrl: string; keyFile: string }
  onTestFinished(async () => {
    stop.abort()
    await stopped
  })
  return { api: createApi(fetch, readFileSync(keyFile, 'utf8').trim(), baseUrl), baseUrl, stop }
}
