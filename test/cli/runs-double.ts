import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Fields = Record<string, unknown>
/** Answers a request instead of the double; returns true if it did. */
type Fault = (response: ServerResponse, path: string) => boolean

const KEY = 'sk_double'

export function trial(id: string, fields: Fields = {}): Fields {
  return {
    id,
    testCaseId: id,
    title: `Case ${id}`,
    iterationNumber: 1,
    status: 'completed',
    result: 'passed',
    ...fields,
  }
}

/** Refuses with a body of the contract. */
export function refusing(status: number, code: string, headers: Record<string, string> = {}): Fault {
  return response => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(JSON.stringify({ code, message: `no: ${code}` }))
    return true
  }
}

export const asHtml: Fault = response => {
  response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Sign in</title>')
  return true
}

export const redirecting: Fault = response => {
  response.writeHead(302, { location: 'http://portal.example/' }).end()
  return true
}

export const hangingUp: Fault = response => {
  response.socket?.destroy()
  return true
}

/**
 * A service on loopback with one project, one suite and the runs of a test. It fails in every way that a test asks for.
 */
export async function openRunsDouble() {
  const runs = new Map<string, Fields>()
  const double = {
    runs,
    trials: [trial('a'), trial('b')],
    suites: [{ id: 's1', name: 'Smoke' }] as Fields[],
    /** Complete answers by `METHOD path` below the address; an undefined answer has no body. */
    answers: {} as Record<string, (body: Fields, request: IncomingMessage) => { status?: number; body: unknown }>,
    fault: undefined as Fault | undefined,
    seen: [] as string[],
    /** Called after each answered request. */
    onAnswered: undefined as ((path: string) => void) | undefined,
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const pathname = new URL(request.url ?? '', 'http://x').pathname.replace('/api/v1', '')
    const path = `${request.method} ${pathname}`
    double.seen.push(path)
    if (request.headers.authorization !== `Bearer ${KEY}`) refusing(401, 'UNAUTHORIZED')(response, path)
    else if (!double.fault?.(response, path)) {
      const text = Buffer.concat(chunks).toString()
      const own = double.answers[path]?.(text ? (JSON.parse(text) as Fields) : {}, request)
      const { status = 200, body } = own ?? standing(pathname)
      if (body === undefined) response.writeHead(status).end()
      else response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    }
    double.onAnswered?.(path)
  }
  const standing = (path: string): { status?: number; body: unknown } => {
    const run = /^\/projects\/p1\/eval-runs\/(\w+)$/.exec(path)?.[1]
    if (path === '/projects') return { body: { items: [{ id: 'p1', name: 'One' }] } }
    if (path === '/projects/p1/eval-suites') return { body: { items: double.suites } }
    if (path === '/projects/p1/eval-suites/s1') return { body: double.suites[0] }
    if (path === '/projects/p1/eval-suites/s1/runs') return { body: [...runs.values()] }
    if (path.endsWith('/iterations')) return { body: { items: double.trials } }
    if (path === '/capabilities') return { body: {} }
    const found = run === undefined ? undefined : runs.get(run)
    return found ? { body: found } : { status: 404, body: { code: 'NOT_FOUND', message: `nothing at ${path}` } }
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return Object.assign(double, {
    env: { MCPDECK_BASE_URL: `http://127.0.0.1:${port}/api/v1`, MCPDECK_API_KEY: KEY },
    /** Adds or changes a run. */
    put(id: string, fields: Fields) {
      runs.set(id, { id, suiteId: 's1', status: 'running', createdAt: Date.now() - 5_000, ...runs.get(id), ...fields })
    },
    /** Stops listening; a second call does nothing. */
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  })
}

export type RunsDouble = Awaited<ReturnType<typeof openRunsDouble>>
