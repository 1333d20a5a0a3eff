import { createRunGroup } from './launch.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

export function runGroupHandlers(context: ServiceContext): Handlers['runGroups'] {
  return {
    create: ({ project, caller, body, idempotencyKey, signal }) =>
      createRunGroup(context, { project, caller }, body, { idempotencyKey, signal }),
  }
}
