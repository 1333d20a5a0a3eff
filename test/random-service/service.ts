import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { API_PREFIX } from '../../src/api/contract/contract.ts'
import { type DocumentedOperation, documentedOperations, type OpenApi } from '../contract/openapi.ts'
import { seedOf } from '../random-numbers.ts'
import { createValues } from './values.ts'

/** Percentage of answers that are refusals. */
const REFUSALS = 4
/** How often the answer of an address changes, in requests to it. */
const CHANGES_EVERY = 4

const REFUSED = [
  { status: 404, code: 'NOT_FOUND' },
  { status: 403, code: 'FORBIDDEN' },
  { status: 429, code: 'RATE_LIMITED' },
  { status: 500, code: 'INTERNAL_ERROR' },
  { status: 502, code: 'SERVER_UNREACHABLE' },
]

/** Random answers within the documented shapes; the same for the same seed and requests. */
export function createAnswers(document: OpenApi, seed: number) {
  const values = createValues(document)
  const operations = documentedOperations(document).map(operation => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{[^}]+\}/g, '[^/]+')}$`),
  }))
  const counts = new Map<string, number>()
  const asked = new Set<string>()
  const answers = new Map<string, { round: number; status: number; text: string }>()

  const answerTo = (operation: DocumentedOperation, address: string): { status: number; text: string } => {
    const count = counts.get(address) ?? 0
    counts.set(address, count + 1)
    const round = Math.floor(count / CHANGES_EVERY)
    const known = answers.get(address)
    if (known?.round === round) return known
    const own = seedOf(`${seed} ${address} ${round}`)
    const refusal = REFUSED[(own >>> 8) % REFUSED.length]!
    // A rate limit slows all requests down, so it is over with the next request.
    const mayRefuse = refusal.status !== 429 || count % CHANGES_EVERY === 0
    // Without projects nothing else would ever be requested.
    const isRefused = mayRefuse && operation.path !== '/projects' && own % 100 < REFUSALS
    const body = isRefused ? { code: refusal.code, message: 'Refused at random.' } : values.of(operation.response, own)
    const answer = { round, status: isRefused ? refusal.status : operation.status, text: JSON.stringify(body) }
    if (answer.status !== 429) answers.set(address, answer)
    return answer
  }

  return {
    /** Returns the answer for the address below the prefix of the API. */
    answer(method: string, url: string): { status: number; text: string } {
      const path = new URL(url, 'http://x').pathname.slice(API_PREFIX.length)
      const found = operations.find(({ operation, pattern }) => operation.method === method && pattern.test(path))
      if (!found) return { status: 404, text: JSON.stringify({ code: 'NOT_FOUND', message: 'No such path.' }) }
      asked.add(found.operation.operation)
      return answerTo(found.operation, `${method} ${url}`)
    },
    /** The operations of the document that were called. */
    operations: (): ReadonlySet<string> => asked,
    /** Number of answered requests. */
    answered: () => [...counts.values()].reduce((sum, count) => sum + count, 0),
  }
}

/** A service on loopback with random answers. */
export async function openRandomService(document: OpenApi, seed: number) {
  const { answer: answerTo, ...facts } = createAnswers(document, seed)
  const server = createServer((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json')
    const answer = answerTo(request.method ?? '', request.url ?? '/')
    response.statusCode = answer.status
    if (answer.status === 429) response.setHeader('retry-after', '1')
    response.end(answer.text)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${API_PREFIX}`
  return {
    env: { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: 'sk_random_service_0123456789abcdef' },
    ...facts,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
