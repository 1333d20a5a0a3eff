import type { ServiceContext, Handlers } from '../core/context.ts'
import { createConnectionRequests } from './requests.ts'

export function connectionHandlers(context: ServiceContext): Handlers['connections'] {
  const requests = createConnectionRequests(context)
  return {
    create: ({ caller, body }) => requests.create(caller, body),
    get: ({ caller, params }) => requests.get(caller, params.requestId),
    cancel: ({ caller, params }) => requests.cancel(caller, params.requestId),
    retryValidation: ({ caller, params }) => requests.retryValidation(caller, params.requestId),
  }
}
