import { isoTime } from '../../lib/times.ts'
import type * as z from 'zod'
import type { OpenAIReadinessRequest, ReadinessRun, ReadinessRunReceipt } from '../../api/contract/readiness.ts'
import { redactedUrl } from '../core/urls.ts'
import { ServiceError } from '../core/errors.ts'
import { messageOf, oneLine } from '../core/one-line.ts'
import type { ServiceContext, Handlers } from '../core/context.ts'
import type { Store } from '../core/database/store.ts'
import { newId } from '../core/ids.ts'
import { requireModel } from '../models/ask.ts'
import type { ReadinessRow } from './rows.ts'
import { invalidField } from '../core/validation.ts'
import { gatherEvidence, type Evidence } from './evidence.ts'
import { observe } from './observations.ts'
import { isText } from './outcomes.ts'
import { CITATIONS, judge, verdictOf } from './rules.ts'
import type { Finding, ReadinessKind } from './types.ts'
import { pageOf } from '../core/list-page.ts'

/** The version of the rules and of their interpretation. A run stores it. It is raised if either changes. */
const ENGINE_VERSION = 'mcpdeck-readiness/1'
/** What this implementation can examine. Results of two implementations agree only on what both can examine. */
const CAPABILITIES = ['connect', 'list', 'unknown-tool-call', 'authorization-metadata']

type ReadinessStart = { projectId: string; serverId: string; kind: ReadinessKind } & Partial<
  z.output<typeof OpenAIReadinessRequest>
>

type ReadinessRuns = {
  /**
   * @throws ServiceError `NOT_FOUND`, `VALIDATION_ERROR`, `FEATURE_NOT_SUPPORTED`, `CONFLICT` if the key was used for
   * another start
   */
  start(start: ReadinessStart): ReadinessRunReceipt
  /** @throws ServiceError `NOT_FOUND`, `CONFLICT` if the run has ended */
  cancel(projectId: string, runId: string): ReadinessRow
}

function createReadinessRuns(context: ServiceContext): ReadinessRuns {
  const { store, jobs } = context
  const end = (runId: string, status: 'failed' | 'cancelled', terminalReason: string, error?: string) => {
    const row = store.readinessRuns.find(runId)
    if (!row || hasEnded(row)) return row
    const ended = { ...withoutObservations(row, status, error), terminalReason, errorMessage: error ?? null }
    store.readinessRuns.update(ended)
    return ended
  }
  jobs.define('readiness', (runId, why) => void end(runId, 'failed', 'interrupted', why))

  return {
    start: start =>
      store.write(() => {
        const planned = rowOf(context, start)
        const key = planned.idempotencyKey
        const earlier = key === null ? undefined : store.readinessRuns.findByKey(planned, key)
        if (earlier) return receiptOf(sameStart(earlier, planned), true)
        if (planned.includeObservations) requireModel({ configured: context.models, keys: {} })
        store.readinessRuns.insert(planned)
        jobs.start('readiness', planned.id, async signal => {
          try {
            await grade(context, planned.id, signal)
          } catch (error) {
            signal.throwIfAborted()
            if (!(error instanceof ServiceError)) throw error
            const { code } = error
            store.write(() => end(planned.id, 'failed', code, messageOf(error)))
          }
        })
        return receiptOf(planned, false)
      }),
    cancel: (projectId, runId) =>
      store.write(() => {
        const row = context.store.readinessRuns.require(projectId, runId)
        if (hasEnded(row)) throw new ServiceError('CONFLICT', `The readiness run has ended: ${row.status}.`)
        jobs.stop('readiness', runId)
        return end(runId, 'cancelled', 'cancelled') ?? row
      }),
  }
}

function toReadinessRun({ store }: ServiceContext, row: ReadinessRow): ReadinessRun {
  const { id, kind, serverId, serverUrl, submissionMode, status, verdict, authMode } = row
  return {
    id,
    readinessKind: kind,
    serverId,
    serverUrl: redactedUrl(serverUrl),
    submissionMode,
    status,
    overallStatus: verdict?.overallStatus ?? null,
    lanes: verdict?.lanes ?? [],
    stages: verdict?.stages ?? [],
    authMode,
    capabilities: [...CAPABILITIES, ...(row.includeObservations ? ['model-observations'] : [])],
    attemptCount: status === 'pending' ? 0 : 1,
    terminalReason: row.terminalReason,
    errorMessage: row.errorMessage,
    // The rules interpret the publishers' pages, of which there is no dated snapshot.
    policySnapshotDate: null,
    engineVersion: ENGINE_VERSION,
    sdkVersion: null,
    includeLlmObservations: row.includeObservations,
    llmObservations: row.observations,
    hasReport: store.readinessRuns.report(id) !== undefined,
    reportUrl: null,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  }
}

function rowOf({ store }: ServiceContext, start: ReadinessStart): ReadinessRow {
  const server = store.servers.require(start.projectId, start.serverId)
  if (server.transportType !== 'http' || !server.url)
    throw invalidField(
      'serverId',
      'directories list servers by their address, and this one runs over stdio; serve it over HTTP and save ' +
        'it with its url',
    )
  const includeObservations = start.includeLlmObservations ?? false
  const hasCredentials = server.tokens !== undefined || Object.keys(server.secrets.headers ?? {}).length > 0
  const createdAt = Date.now()
  return {
    id: newId('rdy'),
    projectId: start.projectId,
    serverId: server.id,
    serverUrl: server.url,
    kind: start.kind,
    submissionMode: start.submissionMode ?? null,
    idempotencyKey: start.idempotencyKey ?? null,
    includeObservations,
    authMode: hasCredentials ? 'provided-token' : 'headless',
    status: 'pending',
    observations: includeObservations ? { status: 'pending' } : { status: 'not-requested', reason: 'not_requested' },
    terminalReason: null,
    errorMessage: null,
    createdAt,
    updatedAt: createdAt,
  }
}

/** Returns the earlier run with the same idempotency key. A key can be used for one start only. */
function sameStart(earlier: ReadinessRow, planned: ReadinessRow): ReadinessRow {
  const isSame =
    earlier.submissionMode === planned.submissionMode && earlier.includeObservations === planned.includeObservations
  if (isSame) return earlier
  throw new ServiceError('CONFLICT', 'This idempotency key was already used for another run.', {
    details: { field: 'idempotencyKey' },
  })
}

async function grade(context: ServiceContext, runId: string, signal: AbortSignal): Promise<void> {
  const { store, connections, targets, models } = context
  const row = store.write(() => {
    const pending = store.readinessRuns.find(runId)
    if (!pending || hasEnded(pending)) return undefined
    const running: ReadinessRow = { ...pending, status: 'running', updatedAt: Date.now() }
    store.readinessRuns.update(running)
    return running
  })
  if (!row) return
  const server = store.servers.require(row.projectId, row.serverId)
  if (server.url !== row.serverUrl)
    throw new ServiceError('CONFLICT', 'The address of the server changed before it was graded; start again.')
  const target = targets.of(server)
  const evidence = await gatherEvidence(connections, target, row, signal)
  const measured = judge(evidence, row.kind)
  const observed = row.includeObservations
    ? await observe(models, evidence.report.tools, signal)
    : { state: row.observations, findings: [] }
  const findings = [...measured, ...observed.findings]
  store.write(() => {
    const current = store.readinessRuns.find(runId)
    if (!current || hasEnded(current)) return
    completeRun(store, { ...current, observations: observed.state, updatedAt: Date.now() }, { findings, evidence })
  })
}

/** Ends a run with the verdict and writes its report. */
export function completeRun(
  { readinessRuns }: Store,
  row: ReadinessRow,
  { findings, evidence }: { findings: Finding[]; evidence: Evidence },
): void {
  const verdict = verdictOf(findings, row.kind)
  const completed: ReadinessRow = { ...row, verdict, terminalReason: 'completed', status: 'completed' }
  readinessRuns.update(completed)
  readinessRuns.insertReport(row.id, reportOf(completed, findings, serverOf(evidence)))
}

/** Returns a short description of the graded server. Its texts have no maximum length, so few are included. */
function serverOf({ connected, report: { initInfo, tools, prompts, resources } }: Evidence) {
  const { name, version } = initInfo?.serverInfo ?? {}
  return {
    connected,
    name: isText(name) ? oneLine(name) : null,
    version: isText(version) ? oneLine(version) : null,
    protocolVersion: initInfo?.protocolVersion ?? null,
    transport: initInfo?.transport ?? null,
    toolCount: tools.length,
    promptCount: prompts.length,
    resourceCount: resources.length,
  }
}

function reportOf(
  row: ReadinessRow,
  findings: Finding[],
  server: ReturnType<typeof serverOf>,
): Record<string, unknown> {
  const { id, projectId, serverId, serverUrl, kind, submissionMode, verdict, observations, updatedAt } = row
  return {
    runId: id,
    projectId,
    readinessKind: kind,
    serverId,
    serverUrl: redactedUrl(serverUrl),
    submissionMode,
    generatedAt: isoTime(updatedAt),
    engineVersion: ENGINE_VERSION,
    policy: { ...CITATIONS[kind], note: 'Read and turned into rules by mcpdeck; the publisher decides.' },
    ...verdict,
    server,
    llmObservations: observations,
    findings,
  }
}

function receiptOf(row: ReadinessRow, deduped: boolean): ReadinessRunReceipt {
  const { id, projectId, serverId, kind, status, includeObservations } = row
  return {
    runId: id,
    projectId,
    serverId,
    readinessKind: kind,
    status,
    deduped,
    includeLlmObservations: includeObservations,
  }
}

function hasEnded({ status }: ReadinessRow): boolean {
  return status !== 'pending' && status !== 'running'
}

function withoutObservations(
  row: ReadinessRow,
  status: 'failed' | 'cancelled',
  detail: string | undefined,
): ReadinessRow {
  const ended: ReadinessRow = { ...row, status, updatedAt: Date.now() }
  if (row.observations.status !== 'pending') return ended
  const observations =
    status === 'cancelled'
      ? ({ status: 'not-requested', reason: 'cancelled' } as const)
      : ({ status: 'provider-failed', reason: 'no_evidence', ...(detail && { detail }) } as const)
  return { ...ended, observations }
}

const DEFAULT_LIMIT = 50

export function readinessHandlers(context: ServiceContext): Handlers['readiness'] {
  const { store } = context
  const runs = createReadinessRuns(context)
  return {
    startClaude: ({ params, body = {} }) => runs.start({ ...params, ...body, kind: 'claude' }),
    startOpenAI: ({ params, body }) => runs.start({ ...params, ...body, kind: 'openai' }),
    list: ({ project, query: { readinessKind, serverId, cursor, limit = DEFAULT_LIMIT } }) =>
      store.read(() => {
        const list = `readiness/${JSON.stringify([project.id, readinessKind, serverId])}`
        const rows = store.readinessRuns.list(project.id, { kind: readinessKind, serverId })
        return pageOf(store.cursors, { list, rows, query: { cursor, limit } }, row => toReadinessRun(context, row))
      }),
    get: ({ project, params }) =>
      toReadinessRun(context, context.store.readinessRuns.require(project.id, params.runId)),
    cancel({ project, params }) {
      const { id, projectId, status } = runs.cancel(project.id, params.runId)
      return { runId: id, projectId, status }
    },
    report({ project, params }) {
      const row = context.store.readinessRuns.require(project.id, params.runId)
      const report = store.readinessRuns.report(row.id)
      if (!report) throw new ServiceError('NOT_FOUND', `The readiness run has no report: it is ${row.status}.`)
      // Older reports contain the address with its secrets.
      return { ...report, serverUrl: redactedUrl(row.serverUrl) }
    },
  }
}
