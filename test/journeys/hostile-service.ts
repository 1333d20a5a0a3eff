import { createAdaptorServer } from '@hono/node-server'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { API_PREFIX } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { createRouter } from '../../src/service/core/pipeline.ts'
import { HOSTILE, NO_UTF8 } from '../hostile-texts.ts'
import { open, type Ending } from '../service/harness.ts'

/** The bytes that replace `NO_UTF8` in a text. */
const INVALID = Buffer.from([0xff, 0xc0, 0x80, 0xed, 0xa0, 0x80, 0xf8])

/** One line of a megabyte, which is added to one text of each answer. */
const LONG = `evil ${'\u001B[1mlong \u202E'.repeat(90_000)}`

/**
 * The altered texts: all of an answer, all that do not look like words of the contract, or the texts of refusals, with
 * which everything except the list of projects is answered.
 */
export type Spoiling = 'every text' | 'every text but words of the contract' | 'every refusal' | 'every time'

/** Times that are outside or at the edge of the calendar, in milliseconds since 1970 or as text. */
const TIMES: readonly (number | string)[] = [
  1.7e18,
  8.64e15 + 1,
  8.64e15,
  -8.64e15,
  -8.64e15 - 1,
  1e300,
  -1.7e18,
  '+275760-09-13T00:00:00.001Z',
  'yesterday',
]

/** The real service. Every text in its answers that the declared shape leaves open gets a hostile text appended. */
export async function openHostileService(spoiling: Spoiling, ending: Ending, texts: readonly string[] = HOSTILE) {
  const { api } = await open({ log: () => {} }, ending)
  const router = createRouter()
  const spoil = spoiling === 'every time' ? spoilTimes : createSpoiler(spoiling, texts)
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    fetch: async request => {
      const answer = await api.fetch(await cleaned(request, texts))
      const endpoint = router.match(request.method, new URL(request.url).pathname)?.endpoint
      if (spoiling === 'every refusal' && endpoint?.operation !== 'listProjects') return refusal()
      const text = await answer.text()
      if (!endpoint || text === '') return new Response(text, answer)
      const spoilt = answer.ok ? spoil(endpoint, JSON.parse(text)) : spoiltError(JSON.parse(text))
      const headers = new Headers(answer.headers)
      headers.set('x-request-id', '\u009B2J\u009D0;evil\u009C')
      headers.delete('content-length')
      return new Response(bytesOf(JSON.stringify(spoilt)), { status: answer.status, headers })
    },
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  ending.onTestFinished(() => {
    if ('closeAllConnections' in server) server.closeAllConnections()
    server.close()
  })
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}${API_PREFIX}`
  return { api, env: { MCPDECK_BASE_URL: baseUrl, MCPDECK_API_KEY: api.key } }
}

function refusal(): Response {
  const details = { reason: 'because', fields: [{ path: 'body.name', message: 'wrong' }], hint: 'try again' }
  const body = spoiltError({ code: 'FEATURE_NOT_SUPPORTED', message: 'It cannot be done.', details })
  return new Response(bytesOf(JSON.stringify(body)), {
    status: 422,
    headers: { 'content-type': 'application/json', 'x-request-id': '\u009B2J' },
  })
}

/** Removes the appended texts again, because the dashboard sends back ids as received. */
function withoutHostile(text: string, texts: readonly string[]): string {
  return texts.reduce((rest, hostile) => rest.replaceAll(` ${hostile}`, ''), text.replaceAll(` ${LONG}`, ''))
}

async function cleaned(request: Request, texts: readonly string[]): Promise<Request> {
  const clean = (text: string) => withoutHostile(text, texts)
  const received = new URL(request.url)
  const url = new URL(received.origin + clean(decodeURIComponent(received.pathname)))
  for (const [name, value] of received.searchParams) url.searchParams.append(name, clean(value))
  const body = request.method === 'GET' ? '' : await request.text()
  const sent = body === '' ? {} : { body: JSON.stringify(mapTexts(JSON.parse(body), clean)) }
  return new Request(url, { method: request.method, headers: request.headers, ...sent })
}

/** Appends hostile texts to texts. The shape of an operation decides once which fields get one. */
function createSpoiler(
  spoiling: Spoiling,
  texts: readonly string[],
): (endpoint: AnyEndpoint, answer: unknown) => unknown {
  const takes = new Map<string, boolean>()
  let count = 0
  return (endpoint, answer) => {
    let hasLong = false
    const spoilt = mapTexts(answer, (text, place) => {
      if (spoiling !== 'every text' && /^[a-zA-Z_-]{2,40}$/.test(text) && !/name|title/i.test(place)) return text
      const field = `${endpoint.operation} ${place}`
      const isKnown = takes.get(field)
      const isTaken =
        isKnown ??
        endpoint.response.safeParse(mapTexts(answer, (other, at) => (at === place ? `${other} evil` : other))).success
      takes.set(field, isTaken)
      if (!isTaken) return text
      count += 1
      const isLong = !hasLong && /description|text|message|title/i.test(place)
      hasLong ||= isLong
      return `${text} ${isLong ? LONG : texts[count % texts.length]!}`
    })
    return endpoint.response.safeParse(spoilt).success ? spoilt : answer
  }
}

/** Replaces times by times outside the calendar, if the declared shape leaves them open. */
function spoilTimes(endpoint: AnyEndpoint, answer: unknown): unknown {
  let count = 0
  const spoilt = (value: unknown, name = ''): unknown => {
    if (Array.isArray(value)) return value.map(entry => spoilt(entry))
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([key, field]) => [key, spoilt(field, key)]))
    if (value === null || !/(?:At|^at|since|until|Until)$/.test(name)) return value
    count += 1
    return TIMES[count % TIMES.length]
  }
  const whole = spoilt(answer)
  return endpoint.response.safeParse(whole).success ? whole : answer
}

/** A refusal keeps its code, which decides how it is handled; all its texts are hostile. */
function spoiltError(body: unknown): unknown {
  let count = 0
  return mapTexts(body, (text, place) => {
    count += 1
    return place === '.code' ? text : `${text} ${HOSTILE[count % HOSTILE.length]!}`
  })
}

/** Replaces every text of a JSON value. A place is a list of field names; all entries of a list are one place. */
function mapTexts(value: unknown, replace: (text: string, place: string) => string, place = ''): unknown {
  if (typeof value === 'string') return replace(value, place)
  if (Array.isArray(value)) return value.map(entry => mapTexts(entry, replace, `${place}[]`))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, entry]) => [name, mapTexts(entry, replace, `${place}.${name}`)]),
  )
}

function bytesOf(json: string): Uint8Array<ArrayBuffer> {
  const parts = json.split(NO_UTF8).map(part => Buffer.from(part))
  return new Uint8Array(Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [INVALID, part]))))
}
