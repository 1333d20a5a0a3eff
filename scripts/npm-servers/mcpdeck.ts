import { join } from 'node:path'
import { dist } from '../paths.ts'
import { firstSentence, parsed, toolsOf, type Ended, type Outcome } from './outcome.ts'
import type { Call } from './list.ts'

const boot = join(dist, 'boot.js')
const errorEnd = / Check that the server runs and its address is right;.*$/s

/** The command line of a server, and its environment variables. */
export type Start = { words: readonly string[]; env: Readonly<Record<string, string>> }

/** Returns the arguments with which mcpdeck runs one verb on an unsaved server. */
export function mcpdeckWords(verb: string, { words, env }: Start, call?: Call): string[] {
  const command = words.map(word => `'${word}'`).join(' ')
  const variables = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`])
  const asked = call ? [call.tool, ...pairs(call), '--yes'] : []
  return [boot, verb, '--command', command, ...variables, '--json', ...asked]
}

/** Returns the arguments of a call in the form of both programs. */
export function pairs({ args = {} }: Call): string[] {
  return Object.entries(args).map(([name, value]) => `${name}=${value}`)
}

/** Returns the outcome of `tools --json`. */
export function mcpdeckTools({ code, out, err }: Ended): Outcome {
  const { items } = Object(parsed(out)) as { items?: unknown[] }
  if (code === 0 && items) return toolsOf(items)
  return failure(code, err)
}

/** Returns the outcome of `call --json`: a result that reports an error is an answer of the tool, too. */
export function mcpdeckCall({ code, out, err }: Ended): Outcome {
  const result = Object(parsed(out)) as object
  if ('content' in result || 'structuredContent' in result) return { good: true, text: 'answered' }
  return failure(code, err)
}

/** Returns the outcome of `snapshot --json`. */
export function mcpdeckSnapshot({ code, err }: Ended): Outcome {
  return code === 0 ? { good: true, text: 'ok' } : failure(code, err)
}

type Check = { status: string; detail: string }
type Examined = {
  state?: string
  report?: { status: string; checks: Record<string, Check> }
  error?: { message: string }
}

/** Returns the outcome of `doctor --json`: `ok`, `warnings`, or why the first failed check failed. */
export function mcpdeckDoctor({ code, out, err }: Ended): Outcome {
  const { items } = Object(parsed(out)) as { items?: Examined[] }
  const { state, report, error } = items?.[0] ?? {}
  if (!report) return error ? { good: false, text: firstSentence(error.message) } : failure(code, err)
  if (state === 'ready') return { good: true, text: 'ok' }
  if (state === 'warnings') return { good: true, text: 'warnings' }
  const failed = Object.values(report.checks).find(({ status }) => status === 'error')
  return { good: false, text: firstSentence(failed?.detail ?? report.status) }
}

/**
 * Returns the message of the error object on the last line of standard error; for a failure of the server, the server's
 * own message.
 */
function failure(code: number | undefined, err: string): Outcome {
  if (code === undefined) return { good: false, text: 'stopped after 70 s' }
  const last = err.trim().split('\n').at(-1) ?? ''
  const { message = last } = Object(parsed(last)) as { message?: string }
  const said = message.replace(/^.*The service says: |^Error from the MCP server: /s, '').replace(errorEnd, '')
  return { good: false, text: firstSentence(said) }
}
