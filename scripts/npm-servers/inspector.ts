import { firstSentence, parsed, toolsOf, type Ended, type Outcome } from './outcome.ts'
import { pairs, type Start } from './mcpdeck.ts'
import type { Call } from './list.ts'

/** Returns the arguments with which the Inspector's command line lists the tools of a server, or calls one. */
export function inspectorWords(launcher: string, { words, env }: Start, call?: Call): string[] {
  const variables = Object.entries(env).flatMap(([name, value]) => ['-e', `${name}=${value}`])
  return [launcher, '--cli', ...variables, ...words, ...(call ? callWords(call) : ['--method', 'tools/list'])]
}

function callWords(call: Call): string[] {
  const args = pairs(call).flatMap(pair => ['--tool-arg', pair])
  return ['--method', 'tools/call', '--tool-name', call.tool, ...args]
}

/** Returns the outcome of `tools/list`. */
export function inspectorTools({ code, out, err }: Ended): Outcome {
  const { tools } = Object(parsed(out)) as { tools?: unknown[] }
  if (code === 0 && tools) return toolsOf(tools)
  return failure(code, err)
}

/** Returns the outcome of `tools/call`: a result that reports an error is an answer of the tool, too. */
export function inspectorCall({ code, out, err }: Ended): Outcome {
  const result = Object(parsed(out)) as object
  if ('content' in result || 'structuredContent' in result) return { good: true, text: 'answered' }
  return failure(code, err)
}

/** Returns the message of its error object, which follows the server's own output on standard error. */
function failure(code: number | undefined, err: string): Outcome {
  if (code === undefined) return { good: false, text: 'stopped after 70 s' }
  const lines = err.trim().split('\n')
  const said = lines.map(line => Object(parsed(line)) as { error?: { message?: string } }).findLast(each => each.error)
  return { good: false, text: firstSentence(said?.error?.message ?? lines.at(-1) ?? '') }
}
