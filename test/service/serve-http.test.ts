import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { until } from './harness.ts'
import { serveHere } from './serve-here.ts'

const { projects } = contract

/** A connection on which requests are written by hand, with the status of each answer so far. */
async function dial(baseUrl: string) {
  const { hostname, port } = new URL(baseUrl)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let answered = ''
  let isOpen = true
  socket.setEncoding('utf8')
  socket.on('data', (text: string) => (answered += text))
  socket.on('error', () => {})
  socket.on('close', () => (isOpen = false))
  await once(socket, 'connect')
  const statuses = () => [...answered.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))
  return { write: (text: string) => socket.write(text), end: () => socket.destroy(), statuses, isOpen: () => isOpen }
}

const lines = (...text: string[]) => `${text.join('\r\n')}\r\n\r\n`

describe('a request over HTTP', () => {
  const ask = async (baseUrl: string, text: string) => {
    const line = await dial(baseUrl)
    line.write(text)
    const [status] = await until(line.statuses, ({ length }) => length > 0)
    return status
  }

  test('is answered under the host it names, and not at all if it names none', async () => {
    const { api, baseUrl } = await serveHere({ rateLimit: 0 })
    const key = `Authorization: Bearer ${api.key}`
    const me = `${new URL(baseUrl).pathname}/me`
    const get = (target: string, ...headers: string[]) =>
      ask(baseUrl, lines(`GET ${target} HTTP/1.1`, ...headers, key, 'Connection: close'))
    const host = 'Host: 127.0.0.1'
    expect(await get(me, host)).toBe(200)
    expect(await get(`/x/..${me}`, host)).toBe(200)
    expect(await get(`http://127.0.0.1${me}`, 'Host: evil.test')).toBe(200)
    expect(await get(`http://evil.test${me}`, host)).toBe(403)
    expect(await get(`//evil.test${me}`, host)).toBe(404)
    expect(await get('*', host)).toBe(400)
    expect(await get(me)).toBe(400)
  })

  test('with two keys is refused as one without a key', async () => {
    const { api, baseUrl } = await serveHere()
    const key = `Authorization: Bearer ${api.key}`
    const get = `GET ${new URL(baseUrl).pathname}/me HTTP/1.1`
    const ofHost = [get, 'Host: 127.0.0.1', 'Connection: close']
    expect(await ask(baseUrl, lines(...ofHost, key))).toBe(200)
    expect(await ask(baseUrl, lines(...ofHost, key, 'Authorization: Bearer sk_other'))).toBe(401)
  })
})

describe('a request body that nobody reads', () => {
  const post = (baseUrl: string, key: string, length: number) =>
    lines(
      `POST ${new URL(baseUrl).pathname}${projects.create.path} HTTP/1.1`,
      'Host: 127.0.0.1',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      `Content-Length: ${length}`,
    )

  test('is skipped when it arrives, and its connection serves the next request', async () => {
    const { baseUrl } = await serveHere()
    const line = await dial(baseUrl)
    const body = 'x'.repeat(1_000_000)
    line.write(post(baseUrl, 'sk_wrong', body.length) + body + post(baseUrl, 'sk_wrong', 0))
    expect(await until(line.statuses, ({ length }) => length === 2)).toEqual([401, 401])
    expect(line.isOpen()).toBe(true)
  })

  test('is cut off after its answer if it never ends, even if a part of it was read', async () => {
    const { api, baseUrl } = await serveHere()
    const refused = await dial(baseUrl)
    refused.write(post(baseUrl, 'sk_wrong', 1_000_000))
    const long = await dial(baseUrl)
    long.write(post(baseUrl, api.key, 100_000_000))
    long.write('x'.repeat(10_000_000))
    await until(refused.isOpen, isOpen => !isOpen)
    await until(long.isOpen, isOpen => !isOpen)
    expect([refused.statuses(), long.statuses()]).toEqual([[401], [400]])
  })

  test('is not an error of the service if its sender is gone', async () => {
    const { api, baseUrl, printed } = await serveHere({ requestLog: '-' })
    const line = await dial(baseUrl)
    line.write(post(baseUrl, api.key, 1000))
    line.write('{"name":')
    await until(
      () => api.call(contract.account.me),
      () => true,
    )
    line.end()
    const [logged] = await until(
      () => printed.filter(text => text.includes('"POST"')),
      ({ length }) => length > 0,
    )
    expect(JSON.parse(logged ?? '')).toMatchObject({ status: 504 })
  })
})
