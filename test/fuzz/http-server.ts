import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { randomNumbers } from '../random-numbers.ts'
import type { Deed, Message } from './protocol.ts'

/** A hostile MCP server over HTTP; the test that creates it decides what it does. */
export type HttpServer = AsyncDisposable & {
  url: string
  /** Requests other than those of the protocol, such as for a schema that another one refers to. */
  strayed: readonly string[]
}

function flood(response: ServerResponse, chunk: string): void {
  while (response.write(chunk));
  response.once('drain', () => flood(response, chunk))
}

export async function openHttpServer(
  deedFor: (message: Message, address: string) => Deed,
  seed: number,
): Promise<HttpServer> {
  const random = randomNumbers(seed)
  const strayed: string[] = []
  let address = ''
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const body = await text(request)
      if (/schema\.json|\/id$/.test(request.url ?? '')) strayed.push(`${request.method} ${request.url}`)
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const message = JSON.parse(body) as Message
      const deed = deedFor(message, address)
      if (deed.do === 'stay silent') return
      if (deed.do === 'die') return void response.destroy()
      if (deed.do === 'flood') {
        response.setHeader('content-type', 'text/event-stream')
        return flood(response, `data: ${deed.text.trim().replaceAll(/[\r\n]/g, ' ')}\n\n`.repeat(1000))
      }
      const type = random.chance(0.3) ? 'text/event-stream' : 'application/json'
      response.setHeader('content-type', type)
      response.setHeader('mcp-session-id', 'session')
      if (message.id === undefined) return void response.writeHead(202).end()
      response.end(
        type === 'application/json' ? deed.lines.at(-1) : deed.lines.map(each => `data: ${each}\n\n`).join(''),
      )
    }
    answer().catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `${address}/mcp`,
    strayed,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
