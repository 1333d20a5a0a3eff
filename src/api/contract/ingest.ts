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
  uploadUrl: endpoint('createEvalIngestUploadUrl', 'POST', `${evals}/artifacts/upload-url`, {
    summary: 'Mint a brief upload URL for an ingested artifact.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
  }),
  report: endpoint('reportEvalRun', 'POST', `${evals}/report`, {
    summary: 'Submit one finished external eval run in a single call.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    refreshes: evalReads,
    deadlineMs,
  }),
  start: endpoint('startEvalIngestRun', 'POST', `${evals}/runs/start`, {
    summary: 'Open an external run that will report in pieces.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    idempotency: 'natural',
    refreshes: evalReads,
  }),
  iterations: endpoint('ingestEvalRunIterations', 'POST', `${evals}/runs/iterations`, {
    summary: 'Append a batch of iterations to an open external run.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    refreshes: evalReads,
    deadlineMs,
  }),
  finalize: endpoint('finalizeEvalIngestRun', 'POST', `${evals}/runs/finalize`, {
    summary: 'Close an external run and compute its totals.',
    body: IngestRequest,
    response: IngestResponse,
    errors: failures,
    risk: 'write',
    idempotency: 'natural',
    refreshes: evalReads,
  }),
})

export const conformanceIngest = resource('conformanceIngest', {
  report: endpoint('reportConformanceRun', 'POST', `${conformance}/report`, {
    summary: 'Submit one finished conformance report in a single call.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    deadlineMs,
  }),
  start: endpoint('startConformanceIngestRun', 'POST', `${conformance}/runs/start`, {
    summary: 'Open, or reuse, a conformance run for upload in pieces.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    idempotency: 'natural',
  }),
  upsertReport: endpoint('upsertConformanceIngestReport', 'POST', `${conformance}/runs/reports`, {
    summary: 'Upload one suite report to an open conformance run; other content under its name is a conflict.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    deadlineMs,
  }),
  heartbeat: endpoint('heartbeatConformanceIngestRun', 'POST', `${conformance}/runs/heartbeat`, {
    summary: 'Tell the service that a long upload is still alive.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
  }),
  finalize: endpoint('finalizeConformanceIngestRun', 'POST', `${conformance}/runs/finalize`, {
    summary: 'Close a conformance run and recompute its outcome.',
    body: IngestRequest,
    response: IngestResponse,
    errors: conflicting,
    risk: 'write',
    idempotency: 'natural',
  }),
})
