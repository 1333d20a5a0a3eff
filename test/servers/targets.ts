import { fileURLToPath } from 'node:url'
import type { ServerTarget } from '../../src/service/connections/types.ts'

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const PACKAGE = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
/** The reference server as built into the program: only over stdio, and started in half the time. */
export const EVERYTHING = file('../../dist/server-everything/dist/index.js')

/** A saved stdio server that runs on the Node of this process. */
export function stdioTarget(args: string[], overrides: Partial<ServerTarget> = {}): ServerTarget {
  return {
    id: `server_${args.join('_')}`,
    name: 'under test',
    enabled: true,
    useOAuth: false,
    transport: { type: 'stdio', command: process.execPath, args, env: {} },
    ...overrides,
  }
}

export const SMALL_SERVER = file('stdio-server.mjs')

/** `test/servers/stdio-server.mjs` with one behaviour. */
export const small = (behaviour: string, overrides: Partial<ServerTarget> = {}) =>
  stdioTarget([SMALL_SERVER, behaviour], overrides)

/** The server that only supports the newest protocol revision. */
export const modern = () => stdioTarget([file('modern-server.mjs')])

/** `test/servers/asking-server.mjs`, which sends requests to the client, in an old or a new version of the protocol. */
export const asking = (era: 'legacy' | 'modern') => stdioTarget([file('asking-server.mjs'), era], { name: 'asking' })

/** The reference server over stdio. */
export const everything = () => stdioTarget([EVERYTHING, 'stdio'])

/** Arguments that start the package of the reference server in one of its modes. */
export const everythingArgs = (mode: 'streamableHttp' | 'sse') => [PACKAGE, mode]

export function httpTarget(
  url: string,
  headers: Record<string, string> = {},
  overrides: Partial<ServerTarget> = {},
): ServerTarget {
  return {
    id: `server_${url}`,
    name: 'under test',
    enabled: true,
    useOAuth: false,
    transport: { type: 'http', url, headers },
    ...overrides,
  }
}
