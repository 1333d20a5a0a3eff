import * as z from 'zod'
import { pageOptions } from './cursor-list.ts'
import { endpoint, resource } from './endpoint.ts'
import { limit } from './query-shapes.ts'
import {
  ClaudeReadinessRequest,
  OpenAIReadinessRequest,
  ReadinessReport,
  ReadinessRun,
  ReadinessRunCancelled,
  ReadinessRunReceipt,
} from './readiness-shapes.ts'
import { record, shape, strictBody } from './shapes.ts'

/** The one list whose `items` the OpenAPI file marks optional. */
const ReadinessRunPage = shape(() =>
  record({
    items: z
      .array(ReadinessRun())
      .nullish()
      .transform(items => items ?? []),
    nextCursor: z.string().nullish(),
  }),
)

const start = '/projects/{projectId}/servers/{serverId}/readiness-runs' as const
const collection = '/projects/{projectId}/readiness-runs' as const
const run = `${collection}/{runId}` as const

/** A start reaches a third party's server and with observations spends credits, so it counts as the latter. */
const starting = {
  method: 'POST',
  status: 202,
  response: ReadinessRunReceipt,
  errors: ['VALIDATION_ERROR'],
  risk: 'spend',
  idempotency: 'none',
  source: 'openapi',
} as const

export const readiness = resource('readiness', {
  startClaude: endpoint({
    ...starting,
    operation: 'startClaudeReadinessRun',
    path: `${start}/claude`,
    summary: "Grade a saved server against Anthropic's directory rules; free without observations.",
    body: shape(() => ClaudeReadinessRequest().optional()),
  }),
  startOpenAI: endpoint({
    ...starting,
    operation: 'startOpenAIReadinessRun',
    path: `${start}/openai`,
    summary: "Grade a saved server against OpenAI's directory rules; free without observations.",
    body: OpenAIReadinessRequest,
  }),
  list: endpoint({
    operation: 'listReadinessRuns',
    method: 'GET',
    path: collection,
    summary: 'Readiness runs of a project, latest first.',
    query: shape(() =>
      strictBody({
        readinessKind: z.enum(['claude', 'openai']).optional(),
        serverId: z.string().optional(),
        ...pageOptions(),
        limit: limit(100).optional(),
      }),
    ),
    response: ReadinessRunPage,
    risk: 'read',
    source: 'openapi',
  }),
  get: endpoint({
    operation: 'getReadinessRun',
    method: 'GET',
    path: run,
    summary: 'One readiness run: lanes, coverage, observation state.',
    response: ReadinessRun,
    risk: 'read',
    source: 'openapi',
  }),
  cancel: endpoint({
    operation: 'cancelReadinessRun',
    method: 'POST',
    path: `${run}/cancel`,
    summary: 'Abort a readiness run; an ended run is a conflict.',
    response: ReadinessRunCancelled,
    errors: ['CONFLICT'],
    risk: 'end',
    source: 'openapi',
  }),
  report: endpoint({
    operation: 'getReadinessReport',
    method: 'GET',
    path: `${run}/report`,
    summary: 'Full findings report of a readiness run, if stored.',
    response: ReadinessReport,
    risk: 'read',
    source: 'openapi',
  }),
})
