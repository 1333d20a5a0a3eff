import type { CommandProblem } from '../../lib/split-command.ts'
import { splitCommand } from '../../lib/split-command.ts'
import type { ServerBody } from '../../api/contract/servers.ts'
import { ENVIRONMENT, HEADERS, pairsOf, type Pairs, type TypedPairs } from './pairs.ts'

/** The settings for connecting to a server, in the format of requests. */
export type Reach = Omit<ServerBody, 'name' | 'enabled'>

/** Settings of a connection other than its command or address, as typed. */
export type ReachMore = {
  token?: string
  /** `NAME=value` */
  env?: TypedPairs
  /** `Name: value` */
  headers?: TypedPairs
  /** Seconds. */
  timeout?: string
}

const WHY: Record<CommandProblem, string> = {
  shell: 'It runs without a shell, and this needs one; quote what is meant literally.',
  open: 'A quote or a backslash is not followed by anything.',
  empty: 'This field is required.',
}
/** Error text for a token of a program. */
export const NO_TOKEN = 'A token goes with an address; a program finds its own in its environment.'
export const NO_HEADERS = 'Headers go with an address; a program finds its secrets in its environment.'
export const NO_ENVIRONMENT = 'An environment goes with a command; an address takes headers.'
const ADDRESS = /^https?:\/\//i
const WITHOUT_SCHEME = /^(?:localhost|[\w-]+(?:\.[\w-]+)+)(?::\d+)?\/\S*$|^[\w.-]+:\d+$/
const ASSIGNMENT = /^([A-Za-z_]\w*)=(.*)$/s

/**
 * Parses what a person typed to connect to a server: the address of an HTTP server, else the command of a stdio server,
 * which may be preceded by `NAME=value` for its environment. Returns an error text if it is neither, or if another
 * setting does not fit.
 */
export function reachOf(typed: string, more: ReachMore = {}): Reach | string {
  const text = typed.trim()
  if (ADDRESS.test(text)) return URL.canParse(text) ? addressReach(text, more) : 'This is not an address.'
  if (WITHOUT_SCHEME.test(text)) return 'An address begins with http:// or https://.'
  const words = splitCommand(text)
  return typeof words === 'string' ? WHY[words] : programReach(words, more)
}

/** Returns the settings of a program from its words, which may be preceded by `NAME=value` for its environment. */
export function programReach(words: readonly string[], more: ReachMore = {}): Reach | string {
  const first = words.findIndex(word => !ASSIGNMENT.test(word))
  const command = words[first]
  if (command === undefined) return 'A command follows what is put into its environment.'
  if (more.token) return NO_TOKEN
  if (isGiven(more.headers)) return NO_HEADERS
  const env = pairsOf(ENVIRONMENT, more.env ?? '', words.slice(0, first))
  if (typeof env === 'string') return env
  return { transportType: 'stdio', command, args: words.slice(first + 1), ...filled({ env }), ...timeoutOf(more) }
}

function addressReach(url: string, more: ReachMore): Reach | string {
  if (isGiven(more.env)) return NO_ENVIRONMENT
  const headers = pairsOf(HEADERS, more.headers ?? '', tokenLines(more.token))
  if (typeof headers === 'string') return headers
  return { transportType: 'http', url, ...filled({ headers }), ...timeoutOf(more) }
}

/** Returns the header lines for a token, if there is one. */
export function tokenLines(token = ''): string[] {
  return token === '' ? [] : [`Authorization: Bearer ${token}`]
}

/** Converts typed seconds to milliseconds. */
export function timeoutOf({ timeout = '' }: ReachMore): Pick<Reach, 'timeout'> {
  return timeout.trim() === '' ? {} : { timeout: Number(timeout) * 1000 }
}

function isGiven(typed: TypedPairs = []): boolean {
  return [typed].flat().some(text => text.trim() !== '')
}

function filled<Name extends string>(part: Record<Name, Pairs>): Partial<Record<Name, Pairs>> {
  return Object.values<Pairs>(part).every(pairs => Object.keys(pairs).length === 0) ? {} : part
}
