// A small MCP server over stdio that only supports protocol 2026-07-28: no initialize, one envelope per request.
// Its notifications are sent on one stream, with the id of the request that opened it.
import { createInterface } from 'node:readline'

const VERSION = '2026-07-28'
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const results = {
  'server/discover': () => ({
    supportedVersions: [VERSION],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, logging: {} },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '2.0.0' } },
  }),
  'tools/list': () => ({
    tools: [{ name: 'greet', inputSchema: { type: 'object' } }],
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/call'({ name, arguments: args, _meta }) {
    for (const [id, wanted] of streams) {
      const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
      if (wanted.toolsListChanged) send({ method: 'notifications/tools/list_changed', params: { _meta } })
      for (const uri of wanted.resourceSubscriptions ?? [])
        send({ method: 'notifications/resources/updated', params: { uri, _meta } })
    }
    const level = _meta?.['io.modelcontextprotocol/logLevel']
    const text = name === 'greet' ? `Hello ${args.name}` : `${streams.size} streams, level ${level}`
    return { content: [{ type: 'text', text }] }
  },
}
const streams = new Map()

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'notifications/cancelled') streams.delete(params.requestId)
  if (method === 'subscriptions/listen') {
    if (params.notifications.resourceSubscriptions?.includes('telling://refused'))
      return send({ id, error: { code: -32602, message: 'Not this one' } })
    streams.set(id, params.notifications)
    const _meta = { 'io.modelcontextprotocol/subscriptionId': id }
    const { notifications } = params
    return send({ method: 'notifications/subscriptions/acknowledged', params: { notifications, _meta } })
  }
  if (id === undefined) return
  const result = results[method]
  if (result) return send({ id, result: { resultType: 'complete', ...result(params) } })
  const data = { supported: [VERSION], requested: params?.protocolVersion ?? '' }
  return send({ id, error: { code: -32022, message: 'Unsupported protocol version', data } })
})
