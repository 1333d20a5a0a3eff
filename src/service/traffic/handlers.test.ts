import { expect, test } from 'vitest'
import type { TrafficFrame, TrafficMessage } from '../../api/contract/traffic.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import type { ServiceContext } from '../core/context.ts'
import { createTraffic, type Exchange } from '../connections/traffic.ts'
import type { ServerTarget } from '../connections/types.ts'
import { trafficHandlers } from './handlers.ts'

const SECRET = 'battery-horse-staple-'.repeat(4)
const PART = /batt|horse|aple/
const target: ServerTarget = {
  id: 'srv_1',
  name: 'guarded',
  enabled: true,
  useOAuth: false,
  transport: { type: 'stdio', command: 'none', args: [], env: { SERVICE_TOKEN: SECRET } },
}

/** Returns what the list and the detail show of one received message. */
async function shown(received: string, exchange?: Exchange) {
  const traffic = createTraffic()
  traffic.connect(target).frame('received', received, exchange)
  const store = {
    servers: { require: () => ({ id: target.id, transportType: 'stdio', secrets: {} }) },
    cursors: { write: String },
  }
  const { list, get } = trafficHandlers({ store, traffic } as unknown as ServiceContext)
  const call = { project: { id: 'prj_1' }, params: { serverId: target.id }, query: {} }
  const { items } = (await list(call as never)) as { items: TrafficFrame[] }
  const message = await get({ ...call, params: { ...call.params, frameId: items[0]!.id } } as never)
  return message as TrafficMessage
}

test('a summary shows no part of a secret, however much was removed before it', async () => {
  for (let before = 0; before <= SECRET.length; before += 1) {
    const { frame } = await shown(JSON.stringify({ text: 'x'.repeat(before) + `${SECRET} `.repeat(100) }))
    expect(frame.summary).toContain('[secret]')
    expect(frame.summary).not.toMatch(PART)
  }
})

test('a message of which the middle was left out shows no part of a secret at either side', async () => {
  const most = BOUNDS.trafficMessage.most
  const endChars = 1024
  for (let part = 4; part < SECRET.length; part += 9) {
    const begin = 'x'.repeat(most - endChars - part) + SECRET
    const end = SECRET + 'z'.repeat(endChars - part)
    const message = await shown(`${begin}${'y'.repeat(5000)}${end}`)
    expect(message.leftOut).toBeGreaterThan(0)
    expect(message.text.slice(-40)).not.toMatch(PART)
    expect(message.end?.slice(0, 40)).not.toMatch(PART)
  }
})

test('a failed exchange shows its reason without secrets', async () => {
  const problem = `${SECRET} was refused`
  const exchange = { method: 'POST', url: 'http://guarded.test/mcp', requestHeaders: {}, at: 0, problem }
  const message = await shown('', exchange)
  expect(message.exchange?.problem).toBe('[secret] was refused')
  expect(message.frame.method).toBe('HTTP [secret] was refused')
})
