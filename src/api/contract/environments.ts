import { pageOptions, queryCursor } from './cursor-list.ts'
import { endpoint, resource } from './endpoint.ts'
import {
  AdhocEnvironmentEnsured,
  AdhocEnvironmentRequest,
  Environment,
  EnvironmentCapabilities,
  EnvironmentCreateRequest,
  EnvironmentNameRequest,
  EnvironmentResolved,
  EnvironmentRevisionRequest,
  EnvironmentUpdateRequest,
} from './environment-shapes.ts'
import { flag } from './query-shapes.ts'
import { page, shape, strictBody } from './shapes.ts'

const collection = '/projects/{projectId}/environments' as const
const one = `${collection}/{environmentId}` as const
const authored = ['VALIDATION_ERROR', 'CONFLICT'] as const

export const environments = resource('environments', {
  list: endpoint('listEnvironments', 'GET', collection, {
    summary: 'Environments of a project, archived ones on request.',
    query: shape(() => strictBody({ includeArchived: flag().optional(), ...pageOptions() })),
    response: page(Environment),
    cursor: queryCursor,
  }),
  create: endpoint('createEnvironment', 'POST', collection, {
    summary: 'Save a named bundle of client, servers, skills and plugins.',
    body: EnvironmentCreateRequest,
    status: 201,
    response: Environment,
    errors: authored,
    risk: 'write',
    role: 'admin',
  }),
  capabilities: endpoint('getEnvironmentCapabilities', 'GET', `${collection}/capabilities`, {
    summary: 'Which environment features this deployment understands.',
    response: EnvironmentCapabilities,
    source: 'prose',
  }),
  get: endpoint('getEnvironment', 'GET', one, {
    summary: 'One environment with the revision needed for edits.',
    response: Environment,
  }),
  update: endpoint('updateEnvironment', 'PATCH', one, {
    summary: 'Edit an environment under a revision check.',
    body: EnvironmentUpdateRequest,
    response: Environment,
    errors: authored,
    risk: 'write',
    role: 'admin',
  }),
  resolve: endpoint('resolveEnvironment', 'GET', `${one}/resolve`, {
    summary: 'Preview the exact run inputs an environment yields right now.',
    response: EnvironmentResolved,
    errors: ['CONFLICT'],
    source: 'prose',
  }),
  ensureAdhoc: endpoint('ensureAdhocEnvironment', 'POST', `${collection}/ensure-adhoc`, {
    summary: 'Find or make the nameless environment for a given stack.',
    body: AdhocEnvironmentRequest,
    response: AdhocEnvironmentEnsured,
    risk: 'write',
    idempotency: 'natural',
  }),
  name: endpoint('nameEnvironment', 'POST', `${one}/name`, {
    summary: 'Give a nameless environment its name, keeping the id.',
    body: EnvironmentNameRequest,
    response: Environment,
    errors: authored,
    risk: 'write',
    role: 'admin',
  }),
  archive: endpoint('archiveEnvironment', 'POST', `${one}/archive`, {
    summary: 'Shelve an environment; its name becomes free.',
    body: EnvironmentRevisionRequest,
    response: Environment,
    errors: authored,
    risk: 'write',
    role: 'admin',
    refreshes: ['suites'],
  }),
  restore: endpoint('restoreEnvironment', 'POST', `${one}/restore`, {
    summary: 'Bring a shelved environment back, unless its name is taken; dead plugin pins vanish.',
    body: EnvironmentRevisionRequest,
    response: Environment,
    errors: authored,
    risk: 'write',
    role: 'admin',
    refreshes: ['suites'],
  }),
})
