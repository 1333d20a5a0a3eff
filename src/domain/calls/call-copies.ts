import { clean, isJson, jsonText } from '../../lib/printable.ts'
import { joinCommand } from '../../lib/split-command.ts'
import type { StoredReach } from '../servers/stored-reach.ts'
import type { CallSubject } from './call-log.ts'

/** Target of a call: a saved server of a profile, or an unsaved server. */
export type CallPlace = {
  profile: { name: string; local?: boolean | undefined }
  projectId: string
  server: { id: string; name: string; url?: string | null | undefined }
  reach?: StoredReach | undefined
  isUnsaved: boolean
}

type Call = Pick<CallSubject, 'kind' | 'target' | 'input'>

/** A text for the clipboard, or the reason why there is none. */
export type Copied = { text: string } | { none: string }

const COMMANDS = { tool: 'call', prompt: 'prompt', resource: 'read' } as const

/** Returns a command for a POSIX shell that repeats a call without asking. */
export function callCommand({ kind, target, input = {} }: Call, place: CallPlace): Copied {
  if (clean(target) !== target) return { none: 'Its name holds characters that no command line can show.' }
  const reached = serverWords(place)
  if (typeof reached === 'string') return { none: reached }
  const entries = Object.entries(input)
  // The command line parses plain words as the same text, whatever the schema says.
  const isPlain = entries.every(([name, value]) => /^[a-zA-Z]\w*$/.test(name) && isPlainText(value, kind))
  if (!isPlain && kind !== 'tool') return { none: 'Its arguments cannot stand in one line of a shell.' }
  const fields = isPlain ? entries.map(([name, value]) => `${name}=${String(value)}`) : []
  const options = [...(isPlain ? [] : ['--input', '-']), ...(kind === 'tool' ? ['--yes'] : [])]
  const words = [...reached.words, target, ...fields]
  const ending = words.some(word => word.startsWith('-')) ? ['--'] : []
  const command = joinCommand(['mcpdeck', COMMANDS[kind], ...reached.options, ...options, ...ending, ...words])
  return { text: isPlain ? command : `${joinCommand(['printf', '%s', jsonText(input)])} | ${command}` }
}

/** Returns a command for a POSIX shell that tests a server with the official conformance suite. */
export function conformanceCommand(place: CallPlace): Copied {
  const reached = serverWords(place)
  if (typeof reached === 'string') return { none: reached }
  const ending = reached.words.some(word => word.startsWith('-')) ? ['--'] : []
  return { text: joinCommand(['mcpdeck', 'conformance', ...reached.options, ...ending, ...reached.words]) }
}

function isPlainText(value: unknown, kind: Call['kind']): boolean {
  if (typeof value !== 'string' || clean(value) !== value) return false
  return kind !== 'tool' || !isJson(value)
}

/** Returns the options that name the server, or why it cannot be named. */
function serverWords(place: CallPlace): { options: string[]; words: string[] } | string {
  const { profile, projectId, server, reach = {} } = place
  if (!place.isUnsaved) {
    const options = [...(profile.local ? ['--local'] : ['--profile', profile.name]), '--project', projectId]
    return { options, words: [clean(server.name) === server.name ? server.name : server.id] }
  }
  if (Object.keys({ ...reach.env, ...reach.headers }).length > 0)
    return 'The server has an environment or headers, which are not copied. Save it first.'
  if (server.url != null) return { options: ['--url', server.url], words: [] }
  if (reach.command === undefined) return 'It is not known how the server is run.'
  return { options: ['--command', joinCommand([reach.command, ...(reach.args ?? [])])], words: [] }
}

/** Returns the MCP request of a call. */
export function callRequest({ kind, target, input = {} }: Call): Record<string, unknown> {
  if (kind === 'resource') return { method: 'resources/read', params: { uri: target } }
  const method = kind === 'tool' ? 'tools/call' : 'prompts/get'
  return { method, params: { name: target, arguments: input } }
}

const PROTOCOL = '2025-06-18'

/**
 * Returns a call as curl requests, which first open a session as the protocol requires. Values of the server's headers
 * come from shell variables. Its address and the arguments are copied as they are.
 */
export function callCurl(call: Call, { server, reach }: CallPlace): Copied {
  if (server.url == null) return { none: 'Only a server over HTTP is reached with curl; this one is a program.' }
  const own = Object.keys(reach?.headers ?? {}).map(name => `-H ${joinCommand([`${name}: `])}"$${variableOf(name)}"`)
  const headers = ['Content-Type: application/json', 'Accept: application/json, text/event-stream']
  const curl = ['curl -sS', ...headers.map(header => `-H '${header}'`), ...own].join(' ')
  const url = joinCommand([server.url])
  const send = (message: object) => `-d ${joinCommand([jsonText({ jsonrpc: '2.0', ...message })])} ${url}`
  const clientInfo = { name: 'curl', version: '1' }
  const initialize = {
    id: 1,
    method: 'initialize',
    params: { protocolVersion: PROTOCOL, capabilities: {}, clientInfo },
  }
  const session = `-H "MCP-Protocol-Version: ${PROTOCOL}" -H "Mcp-Session-Id: $session"`
  const header = `tr -d '\\r' | sed -n 's/^[Mm][Cc][Pp]-[Ss]ession-[Ii]d: *//p'`
  return {
    text: [
      `session=$(${curl} -D - -o /dev/null ${send(initialize)} | ${header})`,
      `${curl} ${session} ${send({ method: 'notifications/initialized' })}`,
      `${curl} ${session} ${send({ id: 2, ...callRequest(call) })}`,
    ].join(' && '),
  }
}

/** Returns the shell variable that holds the value of a header. */
export function variableOf(header: string): string {
  return header
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]/g, '_')
    .replace(/^(?=\d)/, '_')
}
