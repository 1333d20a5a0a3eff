// A server over stdio that sends requests to the client while its tools run: node asking-server.mjs [modern]
// With `modern` it only supports protocol 2026-07-28, in which a call is answered with the requests it needs.
import { createInterface } from 'node:readline'

const isModern = process.argv[2] === 'modern'
const VERSION = '2026-07-28'
const send = message => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\n')
const text = value => ({ content: [{ type: 'text', text: value }] })

const form = (properties, required = []) => ({
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who are you?', requestedSchema: { type: 'object', properties, required } },
})
const name = form({ name: { type: 'string', title: 'Your name' } }, ['name'])
const preset = form({ name: { type: 'string', default: 'Ada' }, port: { type: 'integer', default: 8080 } }, ['name'])
const hostile = form({ a: { type: 'string', title: '\u001b[2J\u001b]0;owned\u0007' } })
hostile.params.message = 'click \u202ehere\u001b[31m'
const huge = form(
  Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`p${at}`, { type: 'string', title: 'x'.repeat(30) }])),
)
const visit = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in', elicitationId: '1', url: 'https://user@xn--pple-43d.example:8443/in?a=1' },
}
const sample = {
  method: 'sampling/createMessage',
  params: {
    messages: [{ role: 'user', content: { type: 'text', text: 'Say a word.' } }],
    systemPrompt: 'You are brief.',
    modelPreferences: { hints: [{ name: 'small-model' }] },
    maxTokens: 20,
  },
}
const roots = { method: 'roots/list' }
/** The requests of each tool before it returns the answers to them. */
const questions = { form: name, preset, hostile, huge, visit, sample, roots }
const names = [
  ...Object.keys(questions),
  'flood',
  'twice',
  'takesBack',
  'late',
  'nested',
  'required',
  'visited',
  'echo',
  'never',
]

let lastId = 1000
let hasVisited = false
const waiting = new Map()
const ask = (request, then, id = (lastId += 1)) => {
  waiting.set(id, then)
  send({ id, ...request })
  return id
}
const told = answer => text(JSON.stringify(answer.result ?? answer.error))

/** Tools that ask in a special way, without a modern form. */
const own = {
  flood(id) {
    let refused = 0
    const heard = ({ error }) => {
      refused += error ? 1 : 0
      if (refused === 968) send({ id, result: text(`refused ${refused}`) })
    }
    for (let count = 0; count < 1000; count += 1) ask(name, heard)
  },
  twice(id) {
    let answers = 0
    const answered = () => {
      answers += 1
      // A second answer would be sent at once.
      setTimeout(() => send({ id, result: text(`answered ${answers}`) }), 300)
    }
    ask(name, answered, 7)
    ask(hostile, answered, 7)
  },
  takesBack(id) {
    const asked = ask(name, () => {})
    const takeBack = () => {
      send({ method: 'notifications/cancelled', params: { requestId: asked, reason: 'no longer' } })
      send({ id, result: text('taken back') })
    }
    setTimeout(takeBack, 300)
  },
  late(id) {
    send({ id, result: text('done') })
    setTimeout(() => ask(name, () => {}), 100)
  },
  nested: id => ask(form({ a: { type: 'object', properties: {} } }), answer => send({ id, result: told(answer) })),
  required(id) {
    if (hasVisited) return send({ id, result: text('welcome') })
    const elicitations = [{ ...visit.params, elicitationId: 'visit-7' }]
    send({ id, error: { code: -32042, message: 'Sign in first.', data: { elicitations } } })
  },
  visited(id) {
    hasVisited = true
    send({ method: 'notifications/elicitation/complete', params: { elicitationId: 'visit-7' } })
    send({ id, result: text('noted') })
  },
  echo: (id, args) => complete(id, text(JSON.stringify(args))),
  never() {},
}

function call(id, { name: tool, arguments: args, inputResponses }) {
  if (own[tool]) return own[tool](id, args)
  const question = questions[tool]
  if (!isModern) return ask(question, answer => send({ id, result: told(answer) }))
  if (inputResponses) return complete(id, told({ result: inputResponses.asked }))
  return send({ id, result: { resultType: 'input_required', inputRequests: { asked: question } } })
}

const complete = (id, result) => send({ id, result: { resultType: 'complete', ...result } })
const tools = names.map(each => ({ name: each, inputSchema: { type: 'object' } }))

createInterface({ input: process.stdin }).on('line', line => {
  const { id, method, params, ...answer } = JSON.parse(line)
  if (id === undefined) return
  if (method === undefined) {
    waiting.get(id)?.(answer)
    waiting.delete(id)
  } else if (method === 'tools/call') call(id, params)
  else if (method === 'tools/list') {
    complete(id, { tools, ttlMs: 0, cacheScope: 'private' })
  } else if (isModern && method === 'server/discover') {
    const info = { 'io.modelcontextprotocol/serverInfo': { name: 'asking', version: '1.0.0' } }
    complete(id, {
      supportedVersions: [VERSION],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
      _meta: info,
    })
  } else if (!isModern && method === 'initialize') {
    const serverInfo = { name: 'asking', version: '1.0.0', announced: params.capabilities }
    send({ id, result: { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo } })
  } else {
    const data = { supported: [VERSION], requested: params?.protocolVersion ?? '' }
    send({ id, error: { code: -32022, message: 'Unsupported protocol version', data } })
  }
})
