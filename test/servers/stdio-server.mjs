// A small MCP server over stdio with selectable misbehaviour: node stdio-server.mjs <behaviour>
import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const behaviour = process.argv[2] ?? 'healthy'
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const text = value => ({ content: [{ type: 'text', text: value }] })
const tool = name => ({ name, inputSchema: { type: 'object' }, 'x-extra': { kept: true } })

if (behaviour === 'exits') {
  console.error('starting')
  console.error('\u001b[31mcannot read the configuration:\u0007 TOKEN is missing\u001b[0m')
  process.exit(3)
}

let child
// `escapes`: like `stubborn`, but its child process has a session of its own.
if (behaviour === 'stubborn' || behaviour === 'escapes') {
  process.on('SIGTERM', () => {})
  const deaf = "process.on('SIGTERM', () => {}); process.stdout.write('deaf'); setInterval(() => {}, 1000)"
  child = spawn(process.execPath, ['-e', deaf], {
    stdio: ['ignore', 'pipe', 'ignore'],
    detached: behaviour === 'escapes',
  })
  await new Promise(resolve => child.stdout.once('data', resolve))
  setInterval(() => {}, 1000)
}

const flood = line => {
  const chunk = (line + '\n').repeat(Math.ceil(65536 / (line.length + 1)))
  const write = () => {
    while (process.stdout.write(chunk));
    process.stdout.once('drain', write)
  }
  write()
}

// `drifts <file>`: once the file exists, the first number of its tool becomes a text, without a restart.
const wanted = () => ({ a: existsSync(process.argv[3]) ? 'string' : 'number', b: 'number' })
const sumTool = () => {
  const { a, b } = wanted()
  const properties = { a: { type: a, description: 'First number' }, b: { type: b, description: 'Second number' } }
  const inputSchema = { type: 'object', properties, required: ['a', 'b'] }
  return { name: 'get-sum', description: 'Adds two numbers', inputSchema }
}
const sum = (id, args) => {
  const wrong = Object.entries(wanted()).find(([name, type]) => typeof args[name] !== type)
  const says = wrong && `Invalid arguments for tool get-sum: ${wrong[0]} must be a ${wrong[1]}`
  if (says) return send({ id, error: { code: -32602, message: says } })
  send({ id, result: text(`The sum is ${Number(args.a) + args.b}.`) })
}

// `switches`: a tool that requires a yes or no.
const writeTool = () => {
  const properties = { dryRun: { type: 'boolean' } }
  return { name: 'write', inputSchema: { type: 'object', properties, required: ['dryRun'] } }
}

// `poisons`: a tool whose schema keeps a validator busy without end.
const poisonTool = () => ({
  name: 'write',
  inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a+)+$' } }, required: ['a'] },
})

// `careless <ms>`: prints to stdout, is slow to list, and has wrong names and schemas.
const carelessTools = [
  tool('fine'),
  { name: 'not a name!', inputSchema: { type: 'object' } },
  { name: 'typo', inputSchema: { type: 'object', properties: { a: { type: 'strin' } } } },
  { name: 'lost', inputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } },
]

// `promises`: two tools with an output schema, of which the first breaks it.
const promised = ['breaks', 'keeps'].map(name => ({
  name,
  inputSchema: { type: 'object', properties: {} },
  outputSchema: { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] },
}))

// `both`: structured content beside text, and a link; `raw`: a resource whose bytes must stay unchanged.
const BOTH = {
  both: { ...text('three rows'), structuredContent: { rows: [1, 2, 3] } },
  same: { ...text('{"rows": [1]}'), structuredContent: { rows: [1] } },
  error: { ...text('quota used up'), structuredContent: { retryAfter: 30 }, isError: true },
  link: {
    content: [
      { type: 'resource_link', uri: 'file:///r.csv', name: 'r', title: 'R\u001b[2J', mimeType: 'text/csv', size: 1234 },
    ],
  },
}
const resultOf = name => BOTH[name] ?? { ...text(`no tool ${name}`), isError: true }
const RAW = 'one\r\ntwo\u200e \u00ad\f end\n'

// One tool of `dies-in-call` is declared read-only.
const hinted = name => ({ ...tool(name), annotations: { readOnlyHint: name === 'look' } })

// `numbers`: whole numbers beyond 2^53 in a schema and in a result; `take` returns its arguments as received.
const NUMBERS = {
  tools:
    '{"tools":[{"name":"give","inputSchema":{"type":"object"}},{"name":"take","inputSchema":{"type":"object",' +
    '"properties":{"id":{"type":"integer","maximum":9223372036854775807}}}}]}',
  give: '{"content":[],"structuredContent":{"id":9007199254740993,"total":12345678901234567890}}',
}
const sendText = (id, result) =>
  process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
let lastLine = ''

// `named <file>`: like a program that is edited, it has one tool, named by the content of the file at its start.
const builtAs = behaviour === 'named' ? readFileSync(process.argv[3], 'utf8').trim() : undefined

const listTools = cursor => {
  if (builtAs) return { tools: [tool(builtAs), tool('pid')] }
  if (behaviour === 'promises') return { tools: promised }
  if (behaviour === 'careless') return { tools: carelessTools }
  if (behaviour === 'poisons') return { tools: [poisonTool()] }
  if (behaviour === 'switches') return { tools: [writeTool()] }
  if (behaviour === 'drifts') return { tools: [sumTool(), tool('pid')] }
  if (behaviour === 'pages') {
    const page = Number(cursor ?? 0)
    return { tools: [tool(`tool-${page}`)], ...(page < 2 && { nextCursor: String(page + 1) }) }
  }
  if (behaviour === 'both') return { tools: Object.keys(BOTH).map(tool) }
  if (behaviour === 'circles') return { tools: [tool('again')], nextCursor: 'same' }
  if (behaviour === 'dies-in-call') return { tools: ['look', 'act'].map(hinted) }
  return { tools: [tool('pid'), tool('environment'), tool('fail')] }
}

// `dies-in-call` exits at its first call. `dies-under-calls <file>` exits when three calls are in progress; later
// processes answer `wait` at once, and exit at any other call.
const held = []
const die = (id, name) => {
  if (behaviour === 'dies-under-calls') {
    const isFirst = !existsSync(process.argv[3])
    if (!isFirst && name === 'wait') return send({ id, result: text('waited') })
    held.push(name)
    if (isFirst && held.length < 3) return
    writeFileSync(process.argv[3], 'died')
  }
  console.error('out of luck')
  process.exit(7)
}

const callTool = (id, { name, arguments: args }) => {
  if (behaviour === 'drifts' && name === 'get-sum') return sum(id, args)
  if (behaviour.startsWith('dies-')) return die(id, name)
  if (behaviour === 'silent-call') return
  if (behaviour === 'numbers') return sendText(id, name === 'give' ? NUMBERS.give : JSON.stringify(text(lastLine)))
  if (behaviour === 'promises') {
    const structuredContent = { count: name === 'keeps' ? 1 : 'many' }
    return send({ id, result: { ...text('counted'), structuredContent } })
  }
  if (behaviour === 'floods-garbage') return flood('y')
  if (behaviour === 'floods-messages') {
    const params = { level: 'info', data: 'x'.repeat(200) }
    return flood(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params }))
  }
  if (behaviour === 'floods-requests') return flood(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }))
  if (behaviour === 'huge-line') return send({ id, result: text('x'.repeat(50 * 1024 * 1024)) })
  if (behaviour === 'large-results') {
    const lines = Array.from({ length: args.lines }, (_, line) => `${name} ${line} ${'filler '.repeat(12)}`)
    return send({ id, result: text([...lines, `the end of ${args.part}`].join('\n')) })
  }
  // Written by hand, because a JSON writer fails at a lower depth than a reader.
  if (name === 'deep') {
    const value = '['.repeat(args.levels - 2) + ']'.repeat(args.levels - 2)
    const result = `{"content":[],"structuredContent":{"a":${value}}}`
    return process.stdout.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`)
  }
  if (name === 'pid') return send({ id, result: text(JSON.stringify({ pid: process.pid, child: child?.pid })) })
  if (name === 'environment') return send({ id, result: text(JSON.stringify(process.env)) })
  if (name === 'write') return send({ id, result: text(JSON.stringify(args)) })
  if (name === 'fail') return send({ id, error: { code: args.code, message: 'as you wish', data: args.data } })
  return send({ id, result: resultOf(name) })
}

const README = `# Small server

It has **two** things, see [its page](https://small.test/docs) and <https://small.test/>.

## Tools

| tool | Größe | does |
|:--|--:|---|
| pid | 1 | 日本語 |

\`\`\`json
{ "a": 1 }
\`\`\`

## Evil

\u001b[2J\u001b]0;owned\u0007 &#27;[31m <b onclick="x">raw</b>
`
const documents = {
  'small://readme': README,
  'small://long.md': `# Long\n\n${`## Chapter\n\n${'A *word* and another. '.repeat(100)}\n\n`.repeat(1000)}The **very** end.\n`,
}
const resources = Object.keys(documents).map(uri => ({ uri, name: uri.slice(8), mimeType: 'text/markdown' }))
const offered = {
  'resources/list': () => ({ resources }),
  'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: 'text/markdown', text: documents[uri] ?? RAW }] }),
  'prompts/list': () => ({ prompts: [{ name: 'readme' }] }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: README } }] }),
}

if (behaviour === 'no-mcp') {
  process.stdout.write('\u001b[32mListening\u001b[0m on 3000\n\nGET /\n')
  console.error('ready')
}

// `older` and `future`: servers of another version of the protocol.
const OLDEST = '2024-11-05'
// `announces`: prompts and resources that it does not have.
const errorOf = method =>
  method === 'resources/list'
    ? { code: -32603, message: 'Not\u001b[2J here' }
    : { code: -32601, message: 'Method not found' }
const begin = (id, { protocolVersion }) => {
  if (behaviour === 'older' && protocolVersion > OLDEST) {
    const data = { supported: [OLDEST], requested: protocolVersion }
    return send({ id, error: { code: -32602, message: 'Unsupported protocol version', data } })
  }
  if (behaviour === 'refuses') return send({ id, error: { code: -32000, message: 'not today' } })
  const serverInfo = { name: 'small', ...(behaviour !== 'no-version' && { version: '1.0.0' }) }
  const more = ['markdown', 'announces'].includes(behaviour) ? { resources: {}, prompts: {} } : {}
  const version = behaviour === 'future' ? '2099-01-01' : protocolVersion
  const instructions = builtAs && `Built as ${builtAs}.\nAsk first. \u001b[2J`
  const begun = { protocolVersion: version, capabilities: { tools: {}, ...more }, serverInfo, instructions }
  return send({ id, result: begun })
}
const answer = ({ id, method, params }) => {
  if (behaviour === 'silent' || behaviour === 'no-mcp') return
  if (method === 'initialize') return begin(id, params)
  if (method === 'tools/list' && behaviour === 'careless') {
    process.stdout.write('Now listing the tools\n')
    return setTimeout(() => send({ id, result: listTools() }), Number(process.argv[3] ?? 0))
  }
  if (method === 'tools/list' && behaviour === 'numbers') return sendText(id, NUMBERS.tools)
  if (method === 'tools/list') return send({ id, result: listTools(params?.cursor) })
  if (method === 'tools/call') return callTool(id, params)
  if (behaviour === 'markdown' && offered[method]) return send({ id, result: offered[method](params) })
  if (id !== undefined) send({ id, error: errorOf(method) })
}

createInterface({ input: process.stdin }).on('line', line => {
  lastLine = line
  if (behaviour === 'garbage') process.stdout.write('Listening...\n{"half": \n\n[1,2]\n{"jsonrpc":"1.0"}\n')
  answer(JSON.parse(line))
})
