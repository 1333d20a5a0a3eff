import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { ServerTarget } from '../connections/types.ts'
import { type Behind, forwardTo } from './forwarded.ts'
import { bridgeProgram } from './program.ts'

/** A saved server as an address on this machine, for programs that speak MCP over HTTP alone. */
export type Bridge = Pick<Behind, 'wasMisunderstood'> & {
  /** On 127.0.0.1, with a free port and a path that cannot be guessed; nothing secret is in it. */
  url: string
  /** Ends sessions and programs; requests under way are cut off. */
  close(): Promise<void>
}

/**
 * Opens an address for a server: each session of a stdio server is a program of its own, and requests to a server over
 * HTTP get its headers and its token. The protocol without sessions is not spoken to programs.
 * @throws ServiceError for headers and addresses that cannot be used
 */
export async function openBridge({ name, transport }: ServerTarget): Promise<Bridge> {
  const { createAdaptorServer } = await import('@hono/node-server')
  const behind = transport.type === 'stdio' ? await bridgeProgram(transport, name) : forwardTo(transport)
  const path = `/${randomUUID()}`
  let own = ''
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    fetch(request) {
      // A page in a browser must get neither the server nor what is added for it.
      const { host, origin } = { host: request.headers.get('host'), origin: request.headers.get('origin') }
      if (host !== own || (origin !== null && origin !== `http://${own}`)) return new Response(null, { status: 403 })
      if (new URL(request.url).pathname !== path) return new Response(null, { status: 404 })
      return behind.answer(request)
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  own = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url: `http://${own}${path}`,
    wasMisunderstood: behind.wasMisunderstood,
    async close() {
      const closed = once(server, 'close')
      server.close()
      await behind.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}
