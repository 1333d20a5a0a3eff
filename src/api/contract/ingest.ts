import { endpoint, resource } from './endpoint.ts'
import { openObject, record, shape } from './shapes.ts'

/**
 * Bodies and answers of both ingest surfaces are opaque: the backend behind the service owns their shapes.
 * On their paths the project id `default` stands for the Default project of the key's organization.
 */
export const IngestRequest = openObject
export const IngestResponse = shape(() => record({}))

const evals = '/projects/{projectId}/eval-ingest' as const
const conformance = '/projects/{projectId}/conformance-ingest' as const
const evalReads = ['runs', 'iterations', 'suites'] as const
const failures = ['VALIDATION_ERROR', 'SERVER_UNREACHABLE', 'TIMEOUT'] as const
const conflicting = [...failures, 'CONFLICT'] as const
/** A body may hold up to about 5 MiB. */
const deadlineMs = 60_000

export const evalIngest = resource('evalIngest', {
  uploadUrl: endpoint({
    operation: 'createEvalIngestUploadUrl',
    method: 'POST',
    path: `${evals}/artifacts/upload-url`,
    summary: 'Mint a brief upload URL for an ingested artifact.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    source: 'openapi',
  }),
  report: endpoint({
    operation: 'reportEvalRun',
    method: 'POST',
    path: `${evals}/report`,
    summary: 'Submit one finished external eval run in a single call.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    refreshes: evalReads,
    deadlineMs,
    source: 'openapi',
  }),
  start: endpoint({
    operation: 'startEvalIngestRun',
    method: 'POST',
    path: `${evals}/runs/start`,
    summary: 'Open an external run that will report in pieces.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    idempotency: 'natural',
    refreshes: evalReads,
    source: 'openapi',
  }),
  iterations: endpoint({
    operation: 'ingestEvalRunIterations',
    method: 'POST',
    path: `${evals}/runs/iterations`,
    summary: 'Append a batch of iterations to an open external run.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    refreshes: evalReads,
    deadlineMs,
    source: 'openapi',
  }),
  finalize: endpoint({
    operation: 'finalizeEvalIngestRun',
    method: 'POST',
    path: `${evals}/runs/finalize`,
    summary: 'Close an external run and compute its totals.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    idempotency: 'natural',
    refreshes: evalReads,
    source: 'openapi',
  }),
})

export const conformanceIngest = resource('conformanceIngest', {
  report: endpoint({
    operation: 'reportConformanceRun',
    method: 'POST',
    path: `${conformance}/report`,
    summary: 'Submit one finished conformance report in a single call.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    deadlineMs,
    source: 'openapi',
  }),
  start: endpoint({
    operation: 'startConformanceIngestRun',
    method: 'POST',
    path: `${conformance}/runs/start`,
    summary: 'Open, or reuse, a conformance run for upload in pieces.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    idempotency: 'natural',
    source: 'openapi',
  }),
  upsertReport: endpoint({
    operation: 'upsertConformanceIngestReport',
    method: 'POST',
    path: `${conformance}/runs/reports`,
    summary: 'Upload one suite report to an open conformance run; other content under its name is a conflict.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    deadlineMs,
    source: 'openapi',
  }),
  heartbeat: endpoint({
    operation: 'heartbeatConformanceIngestRun',
    method: 'POST',
    path: `${conformance}/runs/heartbeat`,
    summary: 'Tell the service that a long upload is still alive.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    source: 'openapi',
  }),
  finalize: endpoint({
    operation: 'finalizeConformanceIngestRun',
    method: 'POST',
    path: `${conformance}/runs/finalize`,
    summary: 'Close a conformance run and recompute its outcome.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    idempotency: 'natural',
    source: 'openapi',
  }),
})
