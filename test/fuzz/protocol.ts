import type { Random } from '../random-numbers.ts'
import { hostileSchema } from './schemas.ts'
import { deepJson, hostileText } from './values.ts'

/** A message of the protocol, with the fields that a hostile server uses. */
export type Message = { id?: number | string; method?: string; params?: Record<string, unknown> }

/** The reaction of a server instead of one answer. */
export type Deed =
  | { do: 'say'; lines: string[] }
  | { do: 'stay silent' }
  | { do: 'die' }
  | { do: 'flood'; text: string; on: 'stdout' | 'stderr' }

const NAMED = 'victim'
const SEVERAL = 12
/** Percentage of messages that are answered in the form of the protocol, with hostile contents. */
const PROPER = 82

const message = (body: object): string => JSON.stringify({ jsonrpc: '2.0', ...body })

/** One tool with a known name, and others with hostile texts and schemas. */
function tools(random: Random, address: string): unknown[] {
  const others = Array.from({ length: random.below(SEVERAL) }, () => ({
    name: random.chance(0.5) ? `tool-${random.below(99)}` : hostileText(random),
    title: hostileText(random),
    description: random.chance(0.8) ? hostileText(random) : { a: 1 },
    inputSchema: hostileSchema(random, address),
    outputSchema: random.chance(0.3) ? hostileSchema(random, address) : undefined,
    annotations: random.pick([undefined, { title: hostileText(random), destructiveHint: 'yes' }, [], 7]),
  }))
  return [{ name: NAMED, inputSchema: { type: 'object' } }, ...others]
}

function content(random: Random): unknown[] {
  const kinds = [
    () => ({ type: 'text', text: hostileText(random) }),
    () => ({ type: 'image', data: hostileText(random), mimeType: hostileText(random) }),
    () => ({ type: 'audio', data: 'AAAA', mimeType: 'audio/evil' }),
    () => ({ type: 'resource', resource: { uri: hostileText(random), text: hostileText(random) } }),
    () => ({ type: 'resource_link', uri: hostileText(random), name: hostileText(random) }),
    () => ({ type: hostileText(random) }),
    () => null,
  ]
  return Array.from({ length: random.below(6) }, () => random.pick(kinds)())
}

/** Content of a correct answer to a method. */
function resultOf({ method, params }: Message, random: Random, address: string): object | undefined {
  const again = random.chance(0.15) ? { nextCursor: `page-${random.below(1e9)}` } : {}
  const words = () => ({ name: hostileText(random), description: hostileText(random) })
  const several = <T>(make: () => T): T[] => Array.from({ length: random.below(SEVERAL) }, make)
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: random.chance(0.9) ? params?.['protocolVersion'] : hostileText(random),
        capabilities: { tools: {}, prompts: {}, resources: {}, logging: {}, [hostileText(random)]: {} },
        serverInfo: { name: hostileText(random), version: hostileText(random), title: hostileText(random) },
        instructions: hostileText(random),
      }
    case 'tools/list':
      return { tools: tools(random, address), ...again }
    case 'prompts/list':
      return { prompts: several(() => ({ ...words(), arguments: several(words) })), ...again }
    case 'resources/list':
      return {
        resources: several(() => ({ ...words(), uri: hostileText(random), mimeType: 'text/markdown' })),
        ...again,
      }
    case 'resources/templates/list':
      return { resourceTemplates: several(() => ({ ...words(), uriTemplate: '{+evil}' })), ...again }
    case 'tools/call':
      return { content: content(random), isError: random.chance(0.3), structuredContent: { [hostileText(random)]: 1 } }
    case 'prompts/get':
      return { description: hostileText(random), messages: [{ role: 'user', content: content(random)[0] }] }
    case 'resources/read':
      return { contents: [{ uri: 'x:y', mimeType: 'text/markdown', text: hostileText(random) }] }
    case 'ping':
      return {}
    default:
      return undefined
  }
}

/** Returns the reaction of a hostile server to one message; the same for the same random numbers. */
export function deedFor(asked: Message, random: Random, address: string): Deed {
  const { id } = asked
  const say = (...lines: string[]): Deed => ({ do: 'say', lines })
  if (id === undefined) return say()
  const result = resultOf(asked, random, address)
  if (result === undefined) return say(message({ id, error: { code: -32601, message: hostileText(random) } }))
  const proper = message({ id, result })
  if (random.below(100) < PROPER) return say(proper)
  return random.pick<() => Deed>([
    () => ({ do: 'stay silent' }),
    () => ({ do: 'die' }),
    () => ({ do: 'flood', text: `${hostileText(random).slice(0, 200)}\n`, on: 'stderr' }),
    () => ({ do: 'flood', text: 'y\n', on: 'stdout' }),
    () => ({ do: 'flood', text: `${message({ method: 'notifications/message', params: { level: 'info', data: 'x' } })}\n`, on: 'stdout' }),
    () => say(hostileText(random).replaceAll('\n', ' '), proper),
    () => say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${deepJson(random)}}`),
    () => say(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{"content":[],"structuredContent":${deepJson(random)},"tools":[{"name":"deep","inputSchema":${deepJson(random)}}]}}`),
    () => say(message({ id, result: { content: [{ type: 'text', text: 'x'.repeat(8_000_000) }], tools: [] } })),
    () => say(message({ id: 'another', result }), proper, proper),
    () => say(message({ id, error: { code: hostileText(random), message: { a: 1 }, data: [hostileText(random)] } })),
    () => say(message({ id, result: random.pick([null, 7, [], 'x', { tools: 7 }, { tools: [null] }, { content: 'x' }]) })),
    () => say(message({ id: 1, method: 'sampling/createMessage', params: { messages: [hostileText(random)] } }), proper),
    () => say(message({ id: 2, method: 'roots/list' }), message({ id: 3, method: 'elicitation/create', params: { message: hostileText(random), requestedSchema: {} } }), proper),
    () => say(message({ method: 'notifications/tools/list_changed' }), proper),
  ])() // prettier-ignore
}
