import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'
import type { ServerTarget } from '../connections/types.ts'
import { type Behind, forwardTo } from './forwarded.ts'
import { bridgeProgram } from './program.ts'

/** A local address for a saved server, for programs that only support MCP over HTTP. */
export type Bridge = Pick<Behind, 'wasMisunderstood' | 'brokenSessions'> & {
  /** Address on 127.0.0.1 with a free port and an unguessable path. On Linux requests of other users are refused. */
  url: string
  /** Ends sessions and programs, and aborts requests in progress. */
  close(): Promise<void>
}

/**
 * Opens a local address for a server. Each session of a stdio server is a separate program. Requests to an HTTP server
 * are sent with its headers and its token. Programs are not used with the protocol version that has no sessions.
 * @throws ServiceError for invalid headers and addresses
 */
export async function openBridge({ name, transport }: ServerTarget): Promise<Bridge> {
  const { createAdaptorServer } = await import('@hono/node-server')
  const behind = transport.type === 'stdio' ? await bridgeProgram(transport, name) : forwardTo(transport)
  const path = `/${randomUUID()}`
  let own = ''
  const server = createAdaptorServer({
    overrideGlobalObjects: false,
    fetch(request, env) {
      // Every user of the machine can read the address on the command line of the conformance suite.
      if (isForeign((env as { incoming: { socket: Socket } }).incoming.socket))
        return new Response(null, { status: 403 })
      // A web page must not reach the server, because it would use the credentials that are added to requests.
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
    brokenSessions: behind.brokenSessions,
    async close() {
      const closed = once(server, 'close')
      server.close()
      await behind.close()
      if ('closeAllConnections' in server) server.closeAllConnections()
      await closed
    },
  }
}

const TABLES = ['/proc/net/tcp', '/proc/net/tcp6']

/**
 * Whether a connection comes from another user's process. Only Linux can tell. Root is never foreign, since it can read
 * everything anyway.
 */
export function isForeign(
  { remotePort = 0, localPort = 0 }: Pick<Socket, 'remotePort' | 'localPort'>,
  tables = TABLES,
): boolean {
  if (process.platform !== 'linux' || process.getuid === undefined) return false
  const owner = ownerOf(tables.map(readTable).join(''), remotePort, localPort)
  return ![0, process.getuid()].includes(owner ?? -1)
}

/**
 * Returns the text of a table of the operating system. Empty if it does not exist: without IPv6, one of {@link TABLES}
 * is missing.
 */
function readTable(file: string): string {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return ''
  }
}

/** 127.0.0.1 in the notation of `/proc/net/tcp`, as IPv4 and within IPv6. */
const LOOPBACK = /^(?:0000000000000000FFFF0000)?0100007F:([0-9A-F]{4})$/

/**
 * Returns the user whose socket connects two ports of 127.0.0.1.
 * @param table in the format of `/proc/net/tcp`: number, local and remote address in hexadecimal, and the user in
 * column 8
 * @returns undefined if the table has no such socket
 */
export function ownerOf(table: string, from: number, to: number): number | undefined {
  const portOf = (address: string | undefined) => Number.parseInt(LOOPBACK.exec(address ?? '')?.[1] ?? '', 16)
  for (const line of table.split('\n')) {
    const [, local, remote, , , , , owner] = line.trim().split(/\s+/)
    if (portOf(local) === from && portOf(remote) === to) return Number(owner)
  }
  return undefined
}
