import { once } from 'node:events'
import { createServer, request as sendOn, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { randomNumbers, seedOf, type Random } from '../random-numbers.ts'
import { ATTACKS, type Attack, type Genuine } from './attacks.ts'

/**
 * A proxy in front of a service that corrupts answers and refuses changes of existing records. It does the same for the
 * same seed and for requests of one address in the same order.
 */
export type Proxy = AsyncDisposable & {
  baseUrl: string
  /** Attacks so far, the newest last. */
  done: readonly string[]
  /** Number of received requests. */
  requests(): number
  /** Requests with the key that reached another origin after an answer redirected them. */
  leaks: readonly string[]
}

export type ProxyOptions = {
  /** Base address of the service, with its path. */
  target: string
  seed: number
  /** Share of the answers that are corrupted, 0 to 1. */
  share: number
  /** The attacks that may be used. */
  attacks: readonly Attack[]
}

/** Attacks and their share for one session: a few kinds alone find more than all at once. */
export function attacksOf(random: Random): Pick<ProxyOptions, 'attacks' | 'share'> {
  const count = random.pick([1, 2, 3, ATTACKS.length])
  const attacks = Array.from({ length: count }, () => random.pick(ATTACKS))
  return { attacks, share: random.pick([0.08, 0.25, 0.6, 1]) }
}

export async function openProxy({ target, seed, share, attacks }: ProxyOptions): Promise<Proxy> {
  const { origin, pathname } = new URL(target)
  const counts = new Map<string, number>()
  const done: string[] = []
  const leaks: string[] = []
  let requests = 0
  const elsewhere = await openElsewhere(leaks)

  const server = createServer((request, response) => {
    requests += 1
    // Ids differ between stages, but the attacks must not.
    const address = `${request.method} ${request.url?.replaceAll(/\b([a-z]{3})_[0-9a-z]{20,}/g, '$1')}`
    const count = counts.get(address) ?? 0
    counts.set(address, count + 1)
    if (request.method === 'DELETE' || request.method === 'PATCH') return refuse(request, response)
    const random = randomNumbers(seedOf(`${seed} ${address} ${count}`))
    void answer(request, response, random, address)
  })

  const answer = async (
    request: IncomingMessage,
    response: ServerResponse,
    random: Random,
    address: string,
  ): Promise<void> => {
    response.on('error', () => response.destroy())
    try {
      const genuine = await forward(origin, request)
      // Without a first valid answer nothing else would be requested.
      const isSpoilt = random.chance(/\/projects(?:\?|$)/.test(address) ? share / 4 : share)
      if (!isSpoilt) return send(response, genuine)
      const attack = random.pick(attacks)
      const told = attack.act({ response, genuine, random, elsewhere: elsewhere.url })
      done.push(`${address}: ${attack.name}${told ? `, ${told}` : ''}`)
    } catch {
      // The program or the service closed the connection.
      response.destroy()
    }
  }

  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    done,
    leaks,
    requests: () => requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await elsewhere.close()
    },
  }
}

export function send(response: ServerResponse, { status, headers, body }: Genuine): void {
  response.writeHead(status, headers)
  response.end(body)
}

/** Records that other rounds need are not changed. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  response.writeHead(403, { 'content-type': 'application/json' })
  response.end('{"code":"FORBIDDEN","message":"Nothing is changed or deleted here."}')
}

async function forward(origin: string, request: IncomingMessage): Promise<Genuine> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { host: _, connection: __, ...headers } = request.headers
  const onward = sendOn(origin + request.url, { method: request.method, headers }, resolve)
  onward.on('error', reject)
  request.on('error', reject)
  request.pipe(onward)
  const answered = await promise
  const body = await buffer(answered)
  const { connection: ___, 'transfer-encoding': ____, 'keep-alive': _____, ...rest } = answered.headers
  return { status: answered.statusCode ?? 502, headers: { ...rest, 'content-length': String(body.length) }, body }
}

/** Target of redirects: another origin, which must never get a key. */
async function openElsewhere(leaks: string[]) {
  const server = createServer((request, response) => {
    const { authorization } = request.headers
    if (authorization !== undefined) leaks.push(`${request.method} ${request.url} with its key`)
    request.resume()
    response.setHeader('content-type', 'application/json')
    response.end('{"items":[],"id":"elsewhere","result":"passed","status":"completed"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
