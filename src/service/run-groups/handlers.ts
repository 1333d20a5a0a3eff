import type { ServiceContext, Handlers } from '../core/context.ts'
import { createRunGroup } from './launch.ts'

export function runGroupHandlers(context: ServiceContext): Handlers['runGroups'] {
  return {
    create: ({ project, caller, body, idempotencyKey, signal }) =>
      createRunGroup(context, { project, caller }, body, { idempotencyKey, signal }),
  }
}
