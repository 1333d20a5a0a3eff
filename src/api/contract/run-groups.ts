import { endpoint, resource } from './endpoint.ts'
import { EvalRunGroupCreated, EvalRunGroupCreateRequest } from './run-group-shapes.ts'

export const runGroups = resource('runGroups', {
  create: endpoint('createEvalRunGroup', 'POST', '/projects/{projectId}/eval-run-groups', {
    summary: 'Launch several targets of one suite as a single group, which takes one run slot.',
    body: EvalRunGroupCreateRequest,
    status: 202,
    response: EvalRunGroupCreated,
    errors: ['VALIDATION_ERROR', 'CONFLICT', 'SERVER_UNREACHABLE', 'TIMEOUT'],
    risk: 'spend',
    idempotency: 'header',
    refreshes: ['runs', 'suites'],
  }),
})
