// A server over stdio that sends many notifications: node telling-server.mjs [FILE for what it receives]
import { appendFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const EVIL = '\u001b[2J\u001b]0;owned\u0007'
const send = message => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const notify = (method, params) => send({ method: `notifications/${method}`, params })
const text = value => ({ content: [{ type: 'text', text: value }] })
const required = ['first']
const tool = name => ({ name, inputSchema: { type: 'object', ...(name === 'takes' && takesSchema()) } })
const takesSchema = () => ({ properties: { [required[0]]: { type: 'string' } }, required, additionalProperties: false })
const added = []
const contents = { now: 1 }
const subscribed = new Set()
const counted = { lists: 0 }

const tools = {
  /** Answers only after it was cancelled, when nobody should read the answer. */
  slow(id, { _meta: { progressToken } = {} }) {
    if (progressToken === undefined) return
    notify('progress', { progressToken, progress: 3, total: 10, message: `${EVIL}reading the index` })
  },
  flood(id, { _meta: { progressToken } = {} }) {
    const total = 10_000
    for (let progress = 1; progress <= total; progress += 1)
      notify('progress', { progressToken, progress, total, message: 'x'.repeat(100) })
    return text('flooded')
  },
  /** Announces one more tool, a thousand times. */
  change() {
    added.push(`added-${added.length + 1}`)
    for (let time = 0; time < 1000; time += 1) notify('tools/list_changed')
    return text('changed')
  },
  touch() {
    contents.now += 1
    for (const uri of subscribed) notify('resources/updated', { uri })
    return text(`updated for ${[...subscribed].join()}`)
  },
  log() {
    notify('message', { level: 'warning', logger: 'index', data: `${EVIL}disk is full` })
    notify('message', { level: 'info', data: { rows: 3 } })
    notify('message', { level: 7, logger: {}, data: undefined })
    return text('logged')
  },
  /** Renames the required argument of `takes` from now on. */
  rename() {
    required.splice(0, 1, 'second')
    notify('tools/list_changed')
    return text('renamed')
  },
  takes: (id, { arguments: sent }) => text(`took ${Object.keys(sent).join()}`),
  lists: () => text(`listed ${counted.lists} times`),
  asked: (id, { _meta }) => text(`asked for progress: ${_meta?.progressToken !== undefined}`),
}

const requests = {
  initialize: (id, { protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: { listChanged: true }, logging: {}, resources: { subscribe: true } },
    serverInfo: { name: 'telling', version: '1.0.0' },
  }),
  'tools/list'() {
    counted.lists += 1
    return { tools: [...Object.keys(tools), ...added].map(tool) }
  },
  'logging/setLevel'(id, { level }) {
    notify('message', { level, logger: 'telling', data: `logs from ${level} on` })
    return {}
  },
  'resources/list': () => ({ resources: [{ uri: 'telling://counter', name: 'counter' }] }),
  'resources/templates/list': () => ({ resourceTemplates: [] }),
  'resources/read': (id, { uri }) => ({ contents: [{ uri, text: `version ${contents.now}` }] }),
  'resources/subscribe'(id, { uri }) {
    subscribed.add(uri)
    return {}
  },
  'resources/unsubscribe'(id, { uri }) {
    subscribed.delete(uri)
    return {}
  },
  'tools/call': (id, params) => tools[params.name](id, params),
  ping: () => ({}),
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === 'notifications/cancelled') {
    process.stderr.write(`told to cancel ${params.requestId}\n`)
    if (process.argv[2]) appendFileSync(process.argv[2], 'cancelled\n')
    // It is too late: a client that cancelled must not take it for an answer.
    return send({ id: params.requestId, result: text('went on all the same') })
  }
  if (id === undefined) return
  if (!requests[method]) return send({ id, error: { code: -32601, message: `no ${method}` } })
  const result = requests[method](id, params)
  if (result) send({ id, result })
})
