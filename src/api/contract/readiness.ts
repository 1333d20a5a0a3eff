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
const starting = { status: 202, response: ReadinessRunReceipt, risk: 'spend', idempotency: 'none' } as const

export const readiness = resource('readiness', {
  startClaude: endpoint('startClaudeReadinessRun', 'POST', `${start}/claude`, {
    ...starting,
    summary: "Grade a saved server against Anthropic's directory rules; free without observations.",
    body: shape(() => ClaudeReadinessRequest().optional()),
  }),
  startOpenAI: endpoint('startOpenAIReadinessRun', 'POST', `${start}/openai`, {
    ...starting,
    summary: "Grade a saved server against OpenAI's directory rules; free without observations.",
    body: OpenAIReadinessRequest,
  }),
  list: endpoint('listReadinessRuns', 'GET', collection, {
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
  }),
  get: endpoint('getReadinessRun', 'GET', run, {
    summary: 'One readiness run: lanes, coverage, observation state.',
    response: ReadinessRun,
  }),
  cancel: endpoint('cancelReadinessRun', 'POST', `${run}/cancel`, {
    summary: 'Abort a readiness run; an ended run is a conflict.',
    response: ReadinessRunCancelled,
    errors: ['CONFLICT'],
    risk: 'end',
  }),
  report: endpoint('getReadinessReport', 'GET', `${run}/report`, {
    summary: 'Full findings report of a readiness run, if stored.',
    response: ReadinessReport,
  }),
})
