import type { ServerRequest } from '../../api/contract/server-requests.ts'
import type { Settlement, ServerRequests, WaitingRequest } from '../connections/server-requests.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { ServiceError } from '../core/errors.ts'
import { invalidField } from '../core/validation.ts'
import { MODEL_DEADLINE_MS, withDeadline } from '../models/ask.ts'
import { draftAnswer } from './draft.ts'

declare module '../core/context.ts' {
  interface ServiceContext {
    serverRequests: ServerRequests
  }
}

type Call = { project: { id: string }; params: { serverId: string } }
type Answering = Call & { params: { requestId: string } }

/** What waits, as the contract has it; of a server that was deleted meanwhile nothing. */
export function toServerRequests(
  { store, models }: Pick<ServiceContext, 'store' | 'models'>,
  waiting: readonly WaitingRequest[],
): ServerRequest[] {
  return waiting.flatMap(({ id, serverId, kind, params, call = null, hasCallEnded, askedAt, endsAt }) => {
    const server = store.servers.find(serverId)
    if (!server) return []
    const model = kind === 'sampling' && models?.model ? `${models.model} at ${new URL(models.baseUrl).host}` : null
    const { projectId, name: serverName } = server
    return [{ id, projectId, serverId, serverName, kind, params, call, hasCallEnded, askedAt, endsAt, model }]
  })
}

export function serverRequestHandlers(context: ServiceContext): Handlers['serverRequests'] {
  const { store, serverRequests, models } = context
  const waitingOf = ({ project, params }: Call) =>
    serverRequests.of(store.servers.require(project.id, params.serverId).id)
  const required = (call: Answering) => {
    const request = waitingOf(call).find(({ id }) => id === call.params.requestId)
    if (request) return request
    throw new ServiceError('NOT_FOUND', 'The server waits for this no more.')
  }
  return {
    list: call => ({ items: toServerRequests(context, waitingOf(call)) }),
    answer(call) {
      const { id, serverId, kind } = required(call)
      return { answered: serverRequests.settle(serverId, id, settlementOf(kind, call.body)) }
    },
    draft(call) {
      const request = required(call)
      if (request.kind !== 'sampling') throw new ServiceError('VALIDATION_ERROR', 'Only sampling is for a model.')
      return withDeadline(MODEL_DEADLINE_MS, call.signal, signal => draftAnswer(models, request.params, signal))
    },
  }
}

type Body = Parameters<Handlers['serverRequests']['answer']>[0]['body']

function settlementOf(kind: WaitingRequest['kind'], { action, content, text, model }: Body): Settlement {
  if (kind !== 'sampling') return { result: { action, ...(action === 'accept' && content && { content }) } }
  if (action !== 'accept') return 'rejected'
  if (text === undefined || model === undefined) throw invalidField('text', 'sampling takes a text and who wrote it')
  return { result: { role: 'assistant', content: { type: 'text', text }, model, stopReason: 'endTurn' } }
}

export function rootHandlers({ store, serverRequests }: ServiceContext): Handlers['roots'] {
  return {
    get: ({ project, params }) => ({ roots: store.servers.require(project.id, params.serverId).roots ?? [] }),
    set({ project, params, body: { roots } }) {
      const { id } = store.servers.require(project.id, params.serverId)
      store.write(() => store.servers.setRoots(id, roots))
      serverRequests.rootsChanged(id)
      return { roots }
    },
  }
}
