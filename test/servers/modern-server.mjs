// A small MCP server over stdio that speaks protocol 2026-07-28 only: no initialize, one envelope per request.
import { createInterface } from 'node:readline'

const VERSION = '2026-07-28'
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const results = {
  'server/discover': () => ({
    supportedVersions: [VERSION],
    capabilities: { tools: {} },
    ttlMs: 0,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'modern', version: '2.0.0' } },
  }),
  'tools/list': () => ({
    tools: [{ name: 'greet', inputSchema: { type: 'object' } }],
    ttlMs: 0,
    cacheScope: 'private',
  }),
  'tools/call': ({ arguments: args }) => ({ content: [{ type: 'text', text: `Hello ${args.name}` }] }),
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]
  if (result) return send({ id, result: { resultType: 'complete', ...result(params) } })
  const data = { supported: [VERSION], requested: params?.protocolVersion ?? '' }
  return send({ id, error: { code: -32022, message: 'Unsupported protocol version', data } })
})
