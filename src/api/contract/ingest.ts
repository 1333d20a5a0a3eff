import { endpoint, resource } from './endpoint.ts'
import { openObject, record, shape } from './shapes.ts'

/** Bodies and answers of ingest are not defined here: the backend behind the service defines them. */
export const IngestRequest = openObject
export const IngestResponse = shape(() => record({}))

const evals = '/projects/{projectId}/eval-ingest' as const
const conformance = '/projects/{projectId}/conformance-ingest' as const
const evalReads = ['runs', 'iterations', 'suites'] as const
const failures = ['VALIDATION_ERROR', 'SERVER_UNREACHABLE', 'TIMEOUT'] as const
const conflicting = [...failures, 'CONFLICT'] as const
/** A body may hold up to about 5 MiB. */
const deadlineMs = 60_000

const opaque = { body: IngestRequest, response: IngestResponse, risk: 'write', defaultProject: true } as const
const ingesting = { ...opaque, errors: failures } as const

export const evalIngest = resource('evalIngest', {
  uploadUrl: endpoint('createEvalIngestUploadUrl', 'POST', `${evals}/artifacts/upload-url`, {
    ...ingesting,
    summary: 'Mint a brief upload URL for an ingested artifact.',
    leavesNothing: 'nobody has the address, which soon ends',
  }),
  report: endpoint('reportEvalRun', 'POST', `${evals}/report`, {
    ...ingesting,
    summary: 'Submit one finished external eval run in a single call.',
    refreshes: evalReads,
    deadlineMs,
  }),
  start: endpoint('startEvalIngestRun', 'POST', `${evals}/runs/start`, {
    ...ingesting,
    summary: 'Open an external run that will report in pieces.',
    idempotency: 'natural',
    refreshes: evalReads,
  }),
  iterations: endpoint('ingestEvalRunIterations', 'POST', `${evals}/runs/iterations`, {
    ...ingesting,
    summary: 'Append a batch of iterations to an open external run.',
    refreshes: evalReads,
    deadlineMs,
  }),
  finalize: endpoint('finalizeEvalIngestRun', 'POST', `${evals}/runs/finalize`, {
    ...ingesting,
    summary: 'Close an external run and compute its totals.',
    idempotency: 'natural',
    refreshes: evalReads,
  }),
})

const ingestingReports = { ...opaque, errors: conflicting } as const

export const conformanceIngest = resource('conformanceIngest', {
  report: endpoint('reportConformanceRun', 'POST', `${conformance}/report`, {
    ...ingestingReports,
    summary: 'Submit one finished conformance report in a single call.',
    deadlineMs,
  }),
  start: endpoint('startConformanceIngestRun', 'POST', `${conformance}/runs/start`, {
    ...ingestingReports,
    summary: 'Open, or reuse, a conformance run for upload in pieces.',
    idempotency: 'natural',
  }),
  upsertReport: endpoint('upsertConformanceIngestReport', 'POST', `${conformance}/runs/reports`, {
    ...ingestingReports,
    summary: 'Upload one suite report to an open conformance run; other content under its name is a conflict.',
    deadlineMs,
  }),
  heartbeat: endpoint('heartbeatConformanceIngestRun', 'POST', `${conformance}/runs/heartbeat`, {
    ...ingestingReports,
    summary: 'Tell the service that a long upload is still alive.',
    leavesNothing: 'the next one says the same',
  }),
  finalize: endpoint('finalizeConformanceIngestRun', 'POST', `${conformance}/runs/finalize`, {
    ...ingestingReports,
    summary: 'Close a conformance run and recompute its outcome.',
    idempotency: 'natural',
  }),
})
