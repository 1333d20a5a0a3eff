import type { ServerRequest } from '../../api/contract/server-requests.ts'
import type { Settlement, ServerRequests, WaitingRequest } from '../connections/server-requests.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { ServiceError } from '../core/errors.ts'
import { invalidField } from '../core/validation.ts'
import { MODEL_DEADLINE_MS, withDeadline, requireModel } from '../models/ask.ts'
import type { ModelMessage } from 'ai'
import { draftTokens, samplingMessages } from '../../domain/servers/sampling.ts'
import { chooseEndpoint, type ModelSettings } from '../models/endpoint.ts'
import { toModelFailure, loadModelLibrary, openModel } from '../models/library.ts'
import { NO_TOKENS, readUsage } from '../core/token-usage.ts'
declare module '../core/context.ts' {
  interface ServiceContext {
    serverRequests: ServerRequests
  }
}

type Call = { project: { id: string }; params: { serverId: string } }
type Answering = Call & { params: { requestId: string } }

/** Converts the open requests to the contract's format. Requests of deleted servers are left out. */
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
    throw new ServiceError('NOT_FOUND', 'The server no longer waits for this answer.')
  }
  return {
    list: call => ({ items: toServerRequests(context, waitingOf(call)) }),
    answer(call) {
      const { id, serverId, kind } = required(call)
      return { answered: serverRequests.settle(serverId, id, settlementOf(kind, call.body)) }
    },
    draft(call) {
      const request = required(call)
      if (request.kind !== 'sampling')
        throw new ServiceError('VALIDATION_ERROR', 'Only sampling requests can be answered by a model.')
      return withDeadline(MODEL_DEADLINE_MS, call.signal, signal => draftAnswer(models, request.params, signal))
    },
  }
}

type Body = Parameters<Handlers['serverRequests']['answer']>[0]['body']

function settlementOf(kind: WaitingRequest['kind'], { action, content, text, model }: Body): Settlement {
  if (kind !== 'sampling') return { result: { action, ...(action === 'accept' && content && { content }) } }
  if (action !== 'accept') return 'rejected'
  if (text === undefined || model === undefined)
    throw invalidField('text', 'an answer to sampling needs text and model')
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

/**
 * Drafts an answer to a sampling request with the configured model.
 * @throws ServiceError `FEATURE_NOT_SUPPORTED`, `VALIDATION_ERROR` for content that is not text, and the errors of the
 * endpoint
 */
export async function draftAnswer(
  configured: ModelSettings | undefined,
  params: Record<string, unknown>,
  signal: AbortSignal,
): Promise<{ text: string; model: string; outputTokens: number }> {
  const access = { configured, keys: {} }
  requireModel(access)
  const messages = samplingMessages(params).map(({ role, text }): ModelMessage => {
    if (text === undefined)
      throw new ServiceError('VALIDATION_ERROR', 'Only text can be sent to the model. Write the answer yourself.')
    return { role: role === 'assistant' ? 'assistant' : 'user', content: text }
  })
  const endpoint = chooseEndpoint({ model: undefined, provider: undefined }, access)
  const library = await loadModelLibrary()
  const { systemPrompt, temperature, stopSequences } = params
  try {
    const { text, usage } = await library.generateText({
      model: await openModel(endpoint),
      messages,
      maxOutputTokens: draftTokens(params),
      maxRetries: 0,
      abortSignal: signal,
      ...(typeof systemPrompt === 'string' && { instructions: systemPrompt }),
      ...(typeof temperature === 'number' && { temperature }),
      ...(Array.isArray(stopSequences) && { stopSequences: stopSequences.filter(each => typeof each === 'string') }),
    })
    return { text, model: endpoint.modelId, outputTokens: (readUsage(usage) ?? NO_TOKENS).outputTokens }
  } catch (error) {
    signal.throwIfAborted()
    throw toModelFailure(error, endpoint, library)
  }
}
