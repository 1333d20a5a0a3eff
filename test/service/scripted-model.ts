import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import * as z from 'zod'
import type { ModelKind, ModelSettings } from '../../src/service/models/endpoint.ts'

type Turn = 'prompt' | 'model' | 'result'

/** A request to a model, independent of its protocol. */
export type Asked = {
  key: string
  model: string
  system: string
  temperature: number | undefined
  /** The request as the protocol spells it. */
  toolChoice: unknown
  tools: { name: string; schema: unknown }[]
  /** The whole conversation, with the role of each message. */
  turns: Turn[]
  /** Texts of the user, oldest first. */
  prompts: string[]
  /** Results of the tools called since the last prompt, in order. */
  results: string[]
}

/**
 * One answer: a text, possibly cut off by the token limit, tool calls, a refusal, a body outside the protocol, or
 * silence.
 */
export type Answer =
  | { text: string; isCut?: boolean }
  | { raw: string }
  | { calls: { name: string; args: unknown }[] }
  | { status: number; message?: string; headers?: Record<string, string> }
  | 'silence'

export type ScriptedModel = {
  settings: ModelSettings
  /** All requests so far, oldest first. */
  asked: Asked[]
  /** Number of requests without an answer yet. */
  readonly waiting: number
}

/** The number of tokens that every answer reports. */
export const TOKENS = { input: 10, output: 5 }

type Protocol = {
  path: string
  keyOf(request: IncomingMessage): string
  read(body: unknown): Omit<Asked, 'key'>
  answer(answer: { text: string; isCut?: boolean } | { calls: { name: string; args: unknown }[] }): unknown
  refuse(message: string): unknown
}

/** A model on loopback that answers by its script, in the protocol of the given kind; it ends with the test. */
export async function scriptedModel(
  script: (asked: Asked) => Answer,
  kind: ModelKind = 'openai-compatible',
  listed?: readonly string[],
): Promise<ScriptedModel> {
  const model = await openScriptedModel(script, kind, listed)
  onTestFinished(model.close)
  return model
}

/** The same for use outside of tests; the caller closes it. `listed` are the model ids that it lists. */
export async function openScriptedModel(
  script: (asked: Asked) => Answer,
  kind: ModelKind = 'openai-compatible',
  listed?: readonly string[],
): Promise<ScriptedModel & { close: () => void }> {
  const protocol = PROTOCOLS[kind]
  const asked: Asked[] = []
  const waiting = new Set<ServerResponse>()
  const reply = async (request: IncomingMessage, response: ServerResponse) => {
    waiting.add(response)
    response.once('close', () => waiting.delete(response))
    if (request.method === 'GET' && request.url === '/v1/models' && listed)
      return send(response, 200, { data: listed.map(id => ({ id })) })
    if (request.method === 'GET') return send(response, 404, protocol.refuse('no such path'))
    const chunks = await request.toArray()
    const body: unknown = JSON.parse(Buffer.concat(chunks as Buffer[]).toString())
    if (request.url !== `/v1${protocol.path}`) return send(response, 404, protocol.refuse('no such path'))
    const question = { key: protocol.keyOf(request), ...protocol.read(body) }
    asked.push(question)
    const answer = script(question)
    if (answer === 'silence') return
    if ('status' in answer) send(response, answer.status, protocol.refuse(answer.message ?? 'refused'), answer.headers)
    else if ('raw' in answer) response.writeHead(200, { 'content-type': 'application/json' }).end(answer.raw)
    else send(response, 200, protocol.answer(answer))
  }
  const server = createServer((request, response) => {
    reply(request, response).catch((error: unknown) =>
      send(response, 422, protocol.refuse(`the request is not of this protocol: ${String(error)}`)),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  return {
    settings: { kind, baseUrl },
    asked,
    get waiting() {
      return waiting.size
    },
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))
}

const Text = z.union([z.string(), z.array(z.looseObject({ text: z.string().optional() }))])
const asText = (content: z.infer<typeof Text> | null | undefined) =>
  typeof content === 'string' ? content : (content ?? []).map(part => part.text ?? '').join('')

const Chat = z.object({
  model: z.string(),
  stream: z.literal(false).optional(),
  temperature: z.number().optional(),
  tool_choice: z.unknown().optional(),
  tools: z.array(z.object({ function: z.object({ name: z.string(), parameters: z.unknown() }) })).default([]),
  messages: z.array(
    z.discriminatedUnion('role', [
      z.object({ role: z.literal('system'), content: Text }),
      z.object({ role: z.literal('user'), content: Text }),
      z.object({
        role: z.literal('assistant'),
        content: Text.nullish(),
        tool_calls: z.array(z.object({ id: z.string() })).default([]),
      }),
      z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: Text }),
    ]),
  ),
})

const Messages = z.object({
  model: z.string(),
  stream: z.literal(false).optional(),
  temperature: z.number().optional(),
  tool_choice: z.unknown().optional(),
  max_tokens: z.number(),
  system: Text.optional(),
  tools: z.array(z.object({ name: z.string(), input_schema: z.unknown() })).default([]),
  messages: z.array(
    z.object({
      role: z.enum(['user', 'assistant']),
      content: z.array(
        z.discriminatedUnion('type', [
          z.object({ type: z.literal('text'), text: z.string() }),
          z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string() }),
          z.object({ type: z.literal('tool_result'), tool_use_id: z.string(), content: Text }),
        ]),
      ),
    }),
  ),
})

/** Returns the kinds of all turns, the texts of the user, and the results of tools since the last text. */
function split(entries: { kind: Turn; text: string }[]) {
  const last = entries.findLastIndex(({ kind }) => kind === 'prompt')
  return {
    turns: entries.map(({ kind }) => kind),
    prompts: entries.filter(({ kind }) => kind === 'prompt').map(({ text }) => text),
    results: entries.slice(last).flatMap(({ kind, text }) => (kind === 'result' ? [text] : [])),
  }
}

let ids = 0
const nextId = () => `call_${++ids}`

const PROTOCOLS: Record<ModelKind, Protocol> = {
  'openai-compatible': {
    path: '/chat/completions',
    keyOf: ({ headers }) => (headers.authorization ?? '').replace('Bearer ', ''),
    read(body) {
      const { model, temperature, tool_choice, tools, messages } = Chat.parse(body)
      const kinds = { user: 'prompt', tool: 'result', assistant: 'model' } as const
      return {
        model,
        temperature,
        toolChoice: tool_choice,
        system: messages.flatMap(({ role, content }) => (role === 'system' ? asText(content) : [])).join(),
        tools: tools.map(({ function: { name, parameters } }) => ({ name, schema: parameters })),
        ...split(
          messages.flatMap(({ role, content }) =>
            role === 'system' ? [] : { kind: kinds[role], text: asText(content) },
          ),
        ),
      }
    },
    answer(answer) {
      const message =
        'text' in answer
          ? { role: 'assistant', content: answer.text }
          : {
              role: 'assistant',
              content: null,
              tool_calls: answer.calls.map(({ name, args }) => ({
                id: nextId(),
                type: 'function',
                function: { name, arguments: JSON.stringify(args) },
              })),
            }
      return {
        id: 'chat',
        object: 'chat.completion',
        created: 0,
        model: 'scripted',
        choices: [
          { index: 0, message, finish_reason: 'text' in answer ? (answer.isCut ? 'length' : 'stop') : 'tool_calls' },
        ],
        usage: {
          prompt_tokens: TOKENS.input,
          completion_tokens: TOKENS.output,
          total_tokens: TOKENS.input + TOKENS.output,
        },
      }
    },
    refuse: message => ({ error: { message, type: 'refusal', param: null, code: null } }),
  },
  anthropic: {
    path: '/messages',
    keyOf: ({ headers }) => String(headers['x-api-key'] ?? ''),
    read(body) {
      const { model, temperature, tool_choice, system, tools, messages } = Messages.parse(body)
      const entries = messages.flatMap(({ role, content }) =>
        content.map(part => {
          if (part.type === 'tool_result') return { kind: 'result' as const, text: asText(part.content) }
          const text = part.type === 'text' ? part.text : part.name
          return { kind: role === 'user' ? ('prompt' as const) : ('model' as const), text }
        }),
      )
      return {
        model,
        temperature,
        toolChoice: tool_choice,
        system: asText(system),
        tools: tools.map(({ name, input_schema }) => ({ name, schema: input_schema })),
        ...split(entries),
      }
    },
    answer: answer => ({
      type: 'message',
      id: 'msg',
      role: 'assistant',
      model: 'scripted',
      content:
        'text' in answer
          ? [{ type: 'text', text: answer.text }]
          : answer.calls.map(({ name, args }) => ({ type: 'tool_use', id: nextId(), name, input: args })),
      stop_reason: 'text' in answer ? (answer.isCut ? 'max_tokens' : 'end_turn') : 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: TOKENS.input, output_tokens: TOKENS.output },
    }),
    refuse: message => ({ type: 'error', error: { type: 'refusal', message } }),
  },
}
