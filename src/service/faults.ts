import { setTimeout as delay } from 'node:timers/promises'

/** Troubles to add on request; rates are fractions of requests. */
export type FaultRates = {
  /** Milliseconds before every answer. */
  latency: number
  /** Refused before it is executed, with and without `Retry-After` by turns of chance. */
  '429': number
  /** Failed before it is executed. */
  '500': number
  /** Answered by an HTML page, as from a proxy, before it is executed. */
  html: number
  /** Executed, then the connection is cut before any answer. */
  drop: number
  /** Executed, then the connection is cut in the middle of the body. */
  truncate: number
}

/** What the transport does with the answer. */
export type FaultyAnswer = { response: Response; transport: 'send' | 'drop' | 'truncate' }

export type Faults = (
  request: Request,
  answer: (request: Request) => Promise<Response>,
) => Promise<FaultyAnswer>

const NO_FAULTS: FaultRates = { latency: 0, '429': 0, '500': 0, html: 0, drop: 0, truncate: 0 }
const MAX_RETRY_AFTER_SECONDS = 3

/**
 * Reads specs such as `latency=50` or `429=0.1,drop=0.05`.
 * @throws RangeError naming the part that is not one
 */
export function parseFaults(specs: readonly string[]): FaultRates {
  const rates = { ...NO_FAULTS }
  for (const part of specs.flatMap(spec => spec.split(',')).filter(text => text !== '')) {
    const [name = '', text = ''] = part.split('=')
    const value = Number(text)
    const usable = text !== '' && value >= 0 && (name === 'latency' || value <= 1)
    if (!Object.hasOwn(rates, name) || !usable)
      throw new RangeError(
        `"${part}" is not a fault; use latency=MS or one of ${Object.keys(NO_FAULTS).slice(0, 2).join(', ')}, html, drop, truncate with a rate from 0 to 1.`,
      )
    rates[name as keyof FaultRates] = value
  }
  return rates
}

/** The same seed and the same order of requests meet the same faults. */
export function createFaults(rates: FaultRates, seed: number): Faults {
  const random = createRandom(seed)
  return async (request, answer) => {
    // Each request draws the same number of times, so that one rate does not shift the others.
    const [limited, failed, page, dropped, truncated, withHint] = Array.from({ length: 6 }, random) as [
      number,
      number,
      number,
      number,
      number,
      number,
    ]
    if (rates.latency > 0) await delay(rates.latency)
    if (limited < rates['429']) return { response: tooMany(withHint), transport: 'send' }
    if (failed < rates['500']) return { response: broken(), transport: 'send' }
    if (page < rates.html) return { response: proxyPage(), transport: 'send' }
    const response = await answer(request)
    if (dropped < rates.drop) return { response, transport: 'drop' }
    return { response, transport: truncated < rates.truncate ? 'truncate' : 'send' }
  }
}

function tooMany(chance: number): Response {
  const headers = new Headers()
  if (chance < 0.5) headers.set('retry-after', String(1 + Math.floor(chance * 2 * MAX_RETRY_AFTER_SECONDS)))
  return Response.json({ code: 'RATE_LIMITED', message: 'Injected fault.' }, { status: 429, headers })
}

function broken(): Response {
  return Response.json({ code: 'INTERNAL_ERROR', message: 'Injected fault.' }, { status: 500 })
}

function proxyPage(): Response {
  const page = '<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>'
  return new Response(page, { status: 502, headers: { 'content-type': 'text/html' } })
}

/** Mulberry32: small, seeded, and good enough to spread faults. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}
