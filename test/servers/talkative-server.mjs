// A server over stdio that prints much output of the wrong kind: node talkative-server.mjs
import { createInterface } from 'node:readline'

const write = line => process.stdout.write(`${line}\n`)
const send = message => write(JSON.stringify({ jsonrpc: '2.0', ...message }))
const result = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } })
const names = ['large', 'logs', 'binary', 'echo']

const tools = {
  large: id => result(id, 'x'.repeat(3 * 1024 * 1024)),
  logs(id) {
    for (let number = 0; number < 10_000; number += 1)
      send({ method: 'notifications/message', params: { level: 'info', data: `log ${number}` } })
    result(id, 'logged')
  },
  binary(id) {
    process.stderr.write(Buffer.from([0, 255, 254, 27, 91, 50, 74, 10]))
    process.stderr.write(`${'long '.repeat(2000)}\nlast words ${process.env.SERVICE_SECRET}\n`)
    process.stdout.write(Buffer.from([0, 255, 128, 10]))
    write('a banner on stdout')
    result(id, 'printed')
  },
  echo: (id, args) => result(id, JSON.stringify(args)),
}

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'initialize') {
    const { protocolVersion } = params
    const serverInfo = { name: 'talkative', version: '1.0.0' }
    send({ id, result: { protocolVersion, capabilities: { tools: {}, logging: {} }, serverInfo } })
  } else if (method === 'tools/list') {
    send({ id, result: { tools: names.map(name => ({ name, inputSchema: { type: 'object' } })) } })
  } else if (method === 'tools/call') tools[params.name](id, params.arguments)
})
