import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { deflateSync, gzipSync } from 'node:zlib'
import type { Random } from '../random-numbers.ts'
import { CHANGES, changedJson, deepJson, hostileText, spelt } from './values.ts'

/** The answer of the service itself. */
export type Genuine = { status: number; headers: OutgoingHttpHeaders; body: Buffer }

type Scene = {
  response: ServerResponse
  genuine: Genuine
  random: Random
  /** An origin other than that of the service. */
  elsewhere: string
}

/** One way to corrupt an answer. `act` sends the answer and returns what exactly was changed. */
export type Attack = { name: string; act(scene: Scene): string }

const STATUSES = [204, 205, 206, 226, 299, 304, 400, 401, 402, 403, 404, 405, 408, 409, 410, 411, 413, 418, 422, 425, 429, 451, 499, 500, 501, 502, 503, 504, 511, 599, 600, 999] // prettier-ignore
const PAUSES = ['-1', '0', '1', '3', '99999999999', 'soon', '1e9', '0.0001', 'Fri, 31 Dec 9999 23:59:59 GMT', 'NaN', '\t', '1, 2'] // prettier-ignore
const TYPES = ['text/html', 'text/plain; charset=utf-16', 'application/octet-stream', 'application/json; charset=utf-16le', 'image/png', 'multipart/form-data', ';', 'application/problem+json'] // prettier-ignore
/** Body pieces of this many bytes with a pause between them, in milliseconds. */
const DRIP_BYTES = 400
const DRIP_MS = 40
const FLOOD_PIECE = Buffer.alloc(256 * 1024, ' ')
/**
 * Maximum size of a flood, so that a reader without a limit shows in its own memory and does not exhaust the machine.
 */
const FLOOD_MOST = 1_500_000_000
const BOMB = gzipSync(Buffer.alloc(300_000_000, ' '), { level: 9 })

function json(response: ServerResponse, genuine: Genuine, body: string | Buffer): void {
  response.writeHead(genuine.status, { ...genuine.headers, 'content-length': Buffer.byteLength(body) })
  response.end(body)
}

/** Mutations of values; the result is valid JSON. */
const changing = CHANGES.map((change): Attack => ({
  name: 'changed',
  act({ response, genuine, random }) {
    const changed = changedJson(genuine.body.toString(), [change], random)
    json(response, genuine, changed?.text ?? genuine.body)
    return changed?.what ?? 'nothing'
  },
}))

const bodies: Attack[] = [
  {
    name: 'truncated',
    act({ response, genuine, random }) {
      const length = random.below(genuine.body.length + 1)
      json(response, genuine, genuine.body.subarray(0, length))
      return `${length} of ${genuine.body.length} bytes`
    },
  },
  {
    name: 'another body',
    act({ response, genuine, random }) {
      const text = genuine.body.toString()
      const body = random.pick([
        () => '',
        () => 'null',
        () => '[]',
        () => '{}',
        () => '"passed"',
        () => '{"items":null}',
        () => '{"items":[null]}',
        () => `<html><title>${hostileText(random)}</title></html>`,
        () => hostileText(random),
        () => JSON.stringify(hostileText(random)),
        () => deepJson(random),
        () => `\uFEFF${text}`,
        () => `${text}}]garbage`,
        () => text + text,
        () => '{"a":'.repeat(200),
        () => `{"items":[${'0,'.repeat(300_000)}0]}`,
        () => '9'.repeat(100_000),
        () => '{"items":[],"items":[{"id":1}],"nextCursor":{}}',
      ])()
      json(response, genuine, body)
      return spelt(body.slice(0, 60))
    },
  },
  {
    name: 'bytes that are no UTF-8',
    act({ response, genuine, random }) {
      const body = Buffer.from(genuine.body)
      for (let index = 0; index < 20; index += 1) body[random.below(body.length)] = random.below(256)
      json(response, genuine, body)
      return ''
    },
  },
  {
    name: 'a compressed body',
    act({ response, genuine, random }) {
      const [encoding, body] = random.pick<[string, Buffer]>([
        ['gzip', BOMB],
        ['gzip', genuine.body],
        ['br', genuine.body],
        ['deflate', deflateSync(genuine.body)],
        ['gzip, gzip', gzipSync(gzipSync(genuine.body))],
        ['nonsense', genuine.body],
      ])
      response.writeHead(genuine.status, {
        ...genuine.headers,
        'content-encoding': encoding,
        'content-length': body.length,
      })
      response.end(body)
      return `${encoding}, ${body.length} bytes`
    },
  },
  {
    name: 'another page without end',
    act({ response, genuine, random }) {
      const text = genuine.body.toString()
      const cursor = `page-${random.below(2 ** 30)}`
      const endless = /"nextCursor":(?:"[^"]*"|null)/.test(text)
        ? text.replace(/"nextCursor":(?:"[^"]*"|null)/, `"nextCursor":"${cursor}"`)
        : text.replace(/\}$/, `,"nextCursor":"${cursor}","hasMore":true}`)
      json(response, genuine, endless)
      return cursor
    },
  },
]

const statuses: Attack[] = [
  {
    name: 'another status',
    act({ response, genuine, random }) {
      const status = random.pick(STATUSES)
      const body = random.pick([
        () => genuine.body.toString(),
        () => '',
        () => '<h1>Bad gateway</h1>',
        () => JSON.stringify({ code: 'INTERNAL_ERROR', message: hostileText(random) }),
        () => JSON.stringify({ code: hostileText(random), message: hostileText(random), details: { a: [1] } }),
        () => JSON.stringify({ code: 'VALIDATION_ERROR', message: 'x', details: hostileText(random) }),
        () => `{"code":"NOT_FOUND","message":"x","details":${deepJson(random)}}`,
        () => JSON.stringify({ error: { code: 7, message: null } }),
        () => '[1,2',
      ])()
      const pause = random.pick(PAUSES)
      const headers = { 'content-type': 'application/json', 'retry-after': pause }
      response.writeHead(status, headers)
      response.end(body)
      return `${status}, retry-after ${JSON.stringify(pause)}, ${spelt(body.slice(0, 40))}`
    },
  },
  {
    name: 'a redirect',
    act({ response, random, elsewhere }) {
      const status = random.pick([300, 301, 302, 303, 305, 307, 308])
      const location = random.pick([`${elsewhere}/stolen`, '/', '', 'file:///etc/passwd', 'http://[', '//x.invalid/'])
      response.writeHead(status, { location })
      response.end()
      return `${status} to ${location}`
    },
  },
  {
    name: 'odd headers',
    act({ response, genuine, random }) {
      const odd = random.pick<OutgoingHttpHeaders>([
        { 'content-type': random.pick(TYPES) },
        { 'content-type': '' },
        { 'x-request-id': '\u009B2Jevil\u009D0;evil\u009C' },
        { 'x-request-id': 'x'.repeat(8000) },
        { 'x-filler': 'y'.repeat(60_000) },
        { 'retry-after': random.pick(PAUSES), 'x-ratelimit-remaining': '-1', 'x-ratelimit-reset': '1e99' },
        { date: 'Thu, 01 Jan 1970 00:00:00 GMT' },
        { date: 'yesterday' },
        { 'set-cookie': ['a=b', 'c=\u009D'], link: '<x>; rel=next' },
      ])
      response.writeHead(genuine.status, { ...genuine.headers, ...odd })
      response.end(genuine.body)
      return spelt(JSON.stringify(odd).slice(0, 80))
    },
  },
]

const transports: Attack[] = [
  {
    name: 'late',
    act({ response, genuine, random }) {
      const ms = random.pick([50, 400, 3000, 12_000])
      setTimeout(() => json(response, genuine, genuine.body), ms).unref()
      return `${ms} ms`
    },
  },
  { name: 'never answered', act: () => '' },
  {
    name: 'cut',
    act({ response, genuine, random }) {
      const length = random.below(genuine.body.length + 1)
      response.writeHead(genuine.status, genuine.headers)
      response.write(genuine.body.subarray(0, length), () => response.destroy())
      return `after ${length} of ${genuine.body.length} bytes`
    },
  },
  {
    name: 'half sent, then silence',
    act({ response, genuine, random }) {
      const length = random.below(genuine.body.length + 1)
      response.writeHead(genuine.status, genuine.headers)
      response.write(genuine.body.subarray(0, length))
      return `${length} of ${genuine.body.length} bytes`
    },
  },
  {
    name: 'dripping',
    act({ response, genuine }) {
      response.writeHead(genuine.status, genuine.headers)
      let at = 0
      const timer = setInterval(() => {
        response.write(genuine.body.subarray(at, at + DRIP_BYTES))
        at += DRIP_BYTES
        if (at >= genuine.body.length || response.destroyed) {
          clearInterval(timer)
          response.end()
        }
      }, DRIP_MS)
      return ''
    },
  },
  {
    name: 'a wrong length',
    act({ response, genuine, random }) {
      const length = random.pick(['1', '0', String(genuine.body.length + 10), '99999999999', '-1', 'many'])
      raw(
        response,
        `HTTP/1.1 ${genuine.status} OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`,
        genuine.body,
      )
      return length
    },
  },
  {
    name: 'no HTTP',
    act({ response, genuine, random }) {
      const text = random.pick([
        'garbage\r\n\r\n',
        'HTTP/1.1 200\r\n',
        'HTTP/9.9 200 OK\r\n\r\n{}',
        'HTTP/1.1 99999 x\r\n\r\n',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n{}',
        'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nffffffffffffffff\r\n{}',
        `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(5000)}\r\n{}`,
        'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
        `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(500)}HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}`,
        '\u0016\u0003\u0001',
      ])
      raw(response, text, genuine.body.subarray(0, 0))
      return spelt(JSON.stringify(text.slice(0, 60)))
    },
  },
  {
    name: 'sent twice',
    act({ response, genuine }) {
      const head = `HTTP/1.1 ${genuine.status} OK\r\ncontent-type: application/json\r\ncontent-length: ${genuine.body.length}\r\n\r\n`
      raw(response, head + genuine.body.toString('latin1') + head, genuine.body)
      return ''
    },
  },
  {
    name: 'a body without end',
    act({ response, genuine }) {
      response.writeHead(genuine.status, { 'content-type': 'application/json' })
      let sent = 0
      const more = (): void => {
        while (sent < FLOOD_MOST && !response.destroyed) {
          sent += FLOOD_PIECE.length
          if (!response.write(FLOOD_PIECE)) return void response.once('drain', more)
        }
        response.destroy()
      }
      more()
      return ''
    },
  },
]

/** Writes raw bytes without Node's HTTP. */
function raw(response: ServerResponse, head: string, body: Buffer): void {
  const { socket } = response
  if (!socket) return
  socket.write(Buffer.from(head, 'latin1'))
  socket.write(body)
  setTimeout(() => socket.destroy(), 500).unref()
}

export const ATTACKS: readonly Attack[] = [...changing, ...changing, ...bodies, ...statuses, ...transports]
