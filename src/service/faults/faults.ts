import { setTimeout as delay } from 'node:timers/promises'
import { ERROR_STATUS, type ErrorCode } from '../../api/contract/error.ts'
import { type ApiRequest, plainHeaders } from '../../api/contract/message.ts'
import { type WholeResponse, createRouter } from '../core/pipeline.ts'
import { FAULT_FORM, FAULT_KINDS, type FaultKind } from './kinds.ts'
import * as z from 'zod'
/** How often each fault occurs, as a fraction of requests, and the delay of `latency` in milliseconds. */
export type FaultRates = Record<FaultKind, number> & { latencyMs: number }

export type FaultyAnswer = { response: WholeResponse; transport: 'send' | 'drop' | 'truncate' }

export type Faults = (
  request: ApiRequest,
  answer: (request: ApiRequest) => Promise<WholeResponse>,
) => Promise<FaultyAnswer>

const MAX_RETRY_AFTER_SECONDS = 3

/** Codes of the contract for the failures that replace an answer, by status. */
const FAILURES = { '500': 'INTERNAL_ERROR', '502': 'SERVER_UNREACHABLE', '504': 'TIMEOUT' } as const satisfies Partial<
  Record<FaultKind, ErrorCode>
>

/** Reads specs such as `latency=50:0.5` or `429=0.1,drop=0.05`. @throws RangeError naming the invalid part */
export function parseFaults(specs: readonly string[]): FaultRates {
  const rates = { ...drawn(() => 0), latencyMs: 0 }
  for (const part of specs.flatMap(spec => spec.split(',')).filter(text => text !== '')) {
    const at = part.indexOf('=')
    const value = part.slice(at + 1)
    const kind = FAULT_KINDS.find(known => known === part.slice(0, Math.max(0, at)))
    const [milliseconds = '', rate = '1'] = kind === 'latency' ? value.split(':') : ['0', value]
    const usable = /^\d+$/.test(milliseconds) && rate !== '' && Number(rate) >= 0 && Number(rate) <= 1
    if (!kind || !usable) throw new RangeError(`"${part}" is not a fault; use ${FAULT_FORM}.`)
    rates[kind] = Number(rate)
    if (kind === 'latency') rates.latencyMs = Number(milliseconds)
  }
  return rates
}

/** Creates the faults. The same seed and order of requests result in the same faults. */
export function createFaults(rates: FaultRates, seed: number): Faults {
  if (FAULT_KINDS.every(kind => rates[kind] === 0)) return async (request, answer) => sent(await answer(request))
  const random = createRandom(seed)
  const makeNewer = createNewerAnswers()
  return async (request, answer) => {
    // A number is drawn for each kind, so that the rate of one kind does not affect the others.
    const draws = drawn(random)
    const hint = random()
    const meets = (kind: FaultKind) => draws[kind] < rates[kind]
    if (meets('latency')) await delay(rates.latencyMs)
    if (meets('429')) return sent(tooMany(hint))
    for (const [status, code] of Object.entries(FAILURES))
      if (meets(status as keyof typeof FAILURES)) return sent(failure(code, ERROR_STATUS[code]))
    if (meets('503')) return sent(failure('UNAVAILABLE', 503))
    if (meets('html')) return sent(proxyPage())
    const response = makeNewer(request, await answer(request), { fields: meets('fields'), values: meets('enums') })
    if (meets('drop')) return { response, transport: 'drop' }
    return { response, transport: meets('truncate') ? 'truncate' : 'send' }
  }
}

function drawn(draw: () => number): Record<FaultKind, number> {
  return Object.fromEntries(FAULT_KINDS.map(kind => [kind, draw()])) as Record<FaultKind, number>
}

function sent(response: WholeResponse): FaultyAnswer {
  return { response, transport: 'send' }
}

function tooMany(chance: number): WholeResponse {
  const seconds = 1 + Math.floor(chance * 2 * MAX_RETRY_AFTER_SECONDS)
  return failure('RATE_LIMITED', 429, chance < 0.5 ? { 'retry-after': String(seconds) } : {})
}

function failure(code: string, status: number, headers: Record<string, string> = {}): WholeResponse {
  const body = JSON.stringify({ code, message: 'Injected fault.' })
  return { status, headers: plainHeaders({ ...headers, 'content-type': 'application/json' }), body }
}

function proxyPage(): WholeResponse {
  const body = '<!doctype html><title>502 Bad Gateway</title><h1>502 Bad Gateway</h1>'
  return { status: 502, headers: plainHeaders({ 'content-type': 'text/html' }), body }
}

/** Returns random numbers by Mulberry32, which is small, seeded, and good enough to spread faults. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000
  }
}

/** Whether answers contain fields or values of a newer version of the contract. */
export type Novelties = { fields: boolean; values: boolean }

/** Name and value that are in no version of the contract. */
const NOVELTY = 'injectedNovelty'

/** Changes answers to those of a newer version: each record gets a further field, each open list a further value. */
export function createNewerAnswers() {
  const router = createRouter()
  return (request: ApiRequest, response: WholeResponse, novelties: Novelties): WholeResponse => {
    const { status, body } = response
    if ((!novelties.fields && !novelties.values) || status >= 300 || body === null) return response
    const match = router.match(request.method, new URL(request.url).pathname)
    if (!match) return response
    const text = JSON.stringify(newer(match.endpoint.response, JSON.parse(body), novelties))
    const length = { 'content-length': String(Buffer.byteLength(text)) }
    return { status, headers: plainHeaders({ ...Object.fromEntries(response.headers), ...length }), body: text }
  }
}

function newer(schema: z.core.$ZodType, value: unknown, novelties: Novelties): unknown {
  const inside = (inner: z.core.$ZodType, part: unknown) => newer(inner, part, novelties)
  if (value === null || value === undefined) return value
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable) return inside(schema.unwrap(), value)
  if (schema instanceof z.ZodLazy) return inside(schema.unwrap(), value)
  if (schema instanceof z.ZodUnion) {
    const option = schema.options.find(each => z.safeParse(each, value).success)
    return option ? inside(option, value) : value
  }
  // A page's schema also accepts a bare list of its items; such an answer remains a list.
  if (schema instanceof z.ZodPipe)
    return Array.isArray(value)
      ? (inside(schema.out, { items: value }) as { items: unknown }).items
      : inside(schema.out, value)
  if (schema instanceof z.ZodString) return novelties.values && schema.meta()?.['values'] ? NOVELTY : value
  if (schema instanceof z.ZodArray) return (value as unknown[]).map(item => inside(schema.element, item))
  if (schema instanceof z.ZodRecord) return mapped(value, (_, item) => inside(schema.valueType, item))
  if (!(schema instanceof z.ZodObject)) return value
  const parts = mapped(value, (name, part) => (schema.shape[name] ? inside(schema.shape[name], part) : part))
  return novelties.fields ? { ...parts, [NOVELTY]: { nested: [NOVELTY] } } : parts
}

function mapped(value: unknown, change: (name: string, part: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value as object).map(([name, part]) => [name, change(name, part)]))
}
