import { createRunGroup } from '../runs/group-launch.ts'
import type { Handlers, ServiceContext } from './handler.ts'

export function runGroupHandlers(context: ServiceContext): Handlers['runGroups'] {
  return {
    create: ({ project, caller, body, idempotencyKey, signal }) =>
      createRunGroup(context, { project, caller }, body, { idempotencyKey, signal }),
  }
}
