import { loadLibrary } from '../src/service/connections/types.ts'
import { createServerRequests } from '../src/service/connections/server-requests.ts'
import { type Left, times } from './kept-things.ts'
import { asking } from './servers/targets.ts'

type Asked = { method: string; params: Record<string, unknown> }
const ELICITATION = 'elicitation/create'

/** Lets a server send all of these requests at once. Returns how many of them wait, unless one was refused. */
async function waiting(asked: readonly Asked[]): Promise<number | 'refused'> {
  const library = await loadLibrary()
  const requests = createServerRequests({ rootsOf: () => [], onChange: () => undefined })
  const desk = requests.open(asking('legacy'), library)
  const client = new library.Client({ name: 'c', version: '1' }, { capabilities: desk.capabilities })
  const [near, far] = library.InMemoryTransport.createLinkedPair()
  const { promise: refused, resolve: refuse } = Promise.withResolvers<'refused'>()
  const { promise: passed, resolve: pass } = Promise.withResolvers<number>()
  far.onmessage = message => {
    if ('error' in message) return refuse('refused')
    if ('method' in message && message.method === 'initialize' && 'id' in message) {
      const { protocolVersion } = message.params as { protocolVersion: string }
      const result = { protocolVersion, capabilities: {}, serverInfo: { name: 's', version: '1' } }
      return void far.send({ jsonrpc: '2.0', id: message.id, result })
    }
    // Roots are answered at once, and come last.
    if ('id' in message && message.id === asked.length) pass(requests.all().length)
    return undefined
  }
  desk.attach(client, near)
  await far.start()
  await client.connect(near)
  for (const [id, request] of asked.entries()) await far.send({ jsonrpc: '2.0', id, ...request })
  await far.send({ jsonrpc: '2.0', id: asked.length, method: 'roots/list' })
  const left = await Promise.race([refused, passed])
  await client.close()
  desk.close()
  return left
}

/** Parameters with the given length, by one text in them. */
function ofLength(params: Record<string, unknown>, name: string, size: number): Record<string, unknown> {
  return { ...params, [name]: 'x'.repeat(size - JSON.stringify({ ...params, [name]: '' }).length) }
}

const form = { mode: 'form', message: '', requestedSchema: { type: 'object', properties: {} } }

async function asLong(method: string, params: Record<string, unknown>, name: string, size: number): Promise<Left> {
  return (await waiting([{ method, params: ofLength(params, name, size) }])) === 1 ? size : 'refused'
}

/** Returns how many of a server's requests wait for a person. */
export const requestProbes = {
  waitingRequests: (size: number): Promise<Left> => waiting(times(size, () => ({ method: ELICITATION, params: form }))),
  elicitation: (size: number) => asLong(ELICITATION, form, 'message', size),
  samplingRequest: (size: number) =>
    asLong('sampling/createMessage', { messages: [], maxTokens: 1 }, 'systemPrompt', size),
}
