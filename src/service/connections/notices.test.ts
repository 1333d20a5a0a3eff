import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, test } from 'vitest'
import type { Progress } from '../../api/contract/message.ts'
import { everything, stdioTarget } from '../../../test/servers/targets.ts'
import { createConnections, type Connections } from './engine.ts'
import { createNotices } from './notices.ts'
import { createTraffic } from './traffic.ts'
import { PATIENCE } from '../../../test/patience.ts'

const telling = stdioTarget([fileURLToPath(new URL('../../../test/servers/telling-server.mjs', import.meta.url))])

const traffic = createTraffic()
let connections: Connections | undefined
const connect = () => (connections = createConnections({ deadlineMs: 10_000, traffic }))
afterEach(() => connections?.close())

const printed = () =>
  traffic
    .of(telling.id)
    .lines()
    .entries.map(({ text }) => text)

test('a long error answer is not kept after its error was passed on', () => {
  const notices = createNotices()
  const answer = (message: string) => ({ id: 1, error: { code: -32603, message } })
  const [short, long] = [answer('no'), answer('no'.repeat(100_000))]
  for (const each of [short, long]) notices.answered(each)
  expect(notices.refusal(short.error)).toBe(short)
  expect(notices.refusal(long.error)).toBeUndefined()
})

describe('progress of a call', () => {
  test('is requested with every call, since progress extends the deadline', async () => {
    const { content } = await connect().callTool(telling, { toolName: 'asked' })
    expect(JSON.stringify(content)).toContain('progress: true')
  })

  test('do not block the answer, even if there are ten thousand', async () => {
    let last: Progress | undefined
    const result = await connect().callTool(telling, { toolName: 'flood' }, undefined, step => (last = step))
    expect(JSON.stringify(result.content)).toContain('flooded')
    expect(last).toMatchObject({ progress: 10_000, total: 10_000 })
  })

  test('reach only their own call if two run at once', async () => {
    const { callTool } = connect()
    const heard = async (steps: number) => {
      const totals = new Set<unknown>()
      const call = { toolName: 'trigger-long-running-operation', parameters: { duration: 0.2, steps } }
      await callTool(everything(), call, undefined, ({ total }) => totals.add(total))
      return [...totals]
    }
    expect(await Promise.all([heard(2), heard(3)])).toEqual([[2], [3]])
  })
})

test('a call that is cancelled is also cancelled at the server, and its later answer is ignored', async () => {
  const { callTool } = connect()
  const stop = new AbortController()
  const call = callTool(telling, { toolName: 'slow' }, stop.signal, () => stop.abort(new Error('enough')))
  await expect(call).rejects.toThrow('enough')
  await expect.poll(() => printed().join(), PATIENCE).toMatch(/told to cancel \d/)
  // The session still works.
  expect(JSON.stringify((await callTool(telling, { toolName: 'asked' })).content)).toContain('progress:')
})
