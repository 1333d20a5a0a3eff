import { writeFileSync } from 'node:fs'

/** The behaviour of a saved version of the server. */
export type EditedServer = {
  /** Required arguments of `weather`. */
  required?: readonly string[]
  /** The answer of `weather`. */
  answer?: string
  /** Duration of a call in milliseconds. */
  delayMs?: number
  /** If set, the server exits at once with this text on stderr. */
  fails?: string
}

/** Writes a small MCP server over stdio, like saving it in an editor. */
export function saveServer(
  file: string,
  { required = [], answer = 'It is sunny.', delayMs = 0, fails }: EditedServer = {},
): void {
  const properties = Object.fromEntries(required.map(name => [name, { type: 'string' }]))
  const tool = {
    name: 'weather',
    description: 'The weather now.',
    inputSchema: { type: 'object', properties, required },
  }
  writeFileSync(
    file,
    fails === undefined ? working(tool, answer, delayMs) : `console.error(${JSON.stringify(fails)}); process.exit(1)`,
  )
}

function working(tool: object, answer: string, delayMs: number): string {
  return `import { createInterface } from 'node:readline'
const tool = ${JSON.stringify(tool)}
const answer = ${JSON.stringify(answer)}
const text = (value, isError = false) => ({ content: [{ type: 'text', text: value }], isError })
const called = args => {
  const missing = tool.inputSchema.required.filter(name => args?.[name] === undefined)
  return missing.length > 0 ? text('missing: ' + missing.join(', '), true) : text(answer)
}
const results = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'edited', version: '1' },
  }),
  'tools/list': () => ({ tools: [tool] }),
  'tools/call': ({ arguments: args }) => called(args),
}
createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params } = JSON.parse(line)
  if (id === undefined) return
  const result = results[method]?.(params)
  const error = { code: -32601, message: 'Method not found' }
  const message = JSON.stringify({ jsonrpc: '2.0', id, ...(result ? { result } : { error }) }) + '\\n'
  setTimeout(() => process.stdout.write(message), method === 'tools/call' ? ${delayMs} : 0)
})
`
}
