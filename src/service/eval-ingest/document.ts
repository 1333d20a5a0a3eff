import { BOUNDS } from '../../lib/bounds.ts'
import * as z from 'zod'
import { hasMoreLevels } from '../../lib/json.ts'
import { openObject, record, shape, timestamp, toEpochMs, isPlainObject } from '../../api/contract/shapes.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { ExpectedToolCall, TranscriptMessage } from '../evals/types.ts'
import { ServiceError } from '../core/errors.ts'
import { invalidField, issuesOf } from '../core/validation.ts'

/** Maximum size of a body as JSON text, in bytes (limits-and-errors, section 4: "Eval-ingest body"). */
const MAX_BYTES = BOUNDS.ingestDocument.most
/** Maximum number of results in one request. Reporters send 200 at a time. */
const MAX_RESULTS = BOUNDS.ingestResults.most

/** Names that reporters give to the end of an iteration. `error` means that it failed before there was a verdict. */
const STATUSES = {
  passed: 'passed',
  failed: 'failed',
  error: 'execution_failed',
  execution_failed: 'execution_failed',
  setup_failed: 'setup_failed',
  evaluator_error: 'evaluator_error',
  timed_out: 'timed_out',
  cancelled: 'cancelled',
  skipped: 'skipped',
} as const satisfies Record<string, TrialClass>

/** Maximum length of any name, in characters. */
const MAX_LABEL = BOUNDS.ingestLabel.most
/** Maximum nesting of objects and lists in a document. */
const MAX_LEVELS = BOUNDS.ingestLevels.most
/** Larger than any real duration or count, and small enough that sums of such numbers are exact. */
const MAX_AMOUNT = 1e12
/** Last time that a JavaScript date can represent, in epoch milliseconds. */
const MAX_TIME = 8.64e15

/** A name. A lone surrogate is replaced, since it could not be stored and read back. */
export const label = shape(() =>
  z
    .string()
    .overwrite(text => text.toWellFormed().trim())
    .min(1)
    .max(MAX_LABEL),
)
const text = shape(() => z.string().overwrite(value => value.toWellFormed()))
const duration = shape(() => z.number().min(0).max(MAX_AMOUNT))
const count = shape(() => z.int().min(0).max(MAX_AMOUNT))
const externalId = shape(() => label().max(256))

/** Returns a value that may be sent under two names. If neither was sent, the issue names the first. */
function eitherOf<T>(context: z.RefinementCtx, field: string, ...values: (T | null | undefined)[]): NonNullable<T> {
  const found = values.find(value => value != null)
  if (found != null) return found
  context.addIssue({ code: 'custom', path: [field], message: 'is missing' })
  return z.NEVER
}

const ExpectedCall = shape(() =>
  record({
    toolName: label().nullish(),
    name: label().nullish(),
    arguments: openObject().nullish(),
    args: openObject().nullish(),
  }),
)

const ActualCall = shape(() =>
  record({
    ...ExpectedCall().shape,
    serverName: text().nullish(),
    startedAt: timestamp().nullish(),
    durationMs: duration().nullish(),
    result: openObject().nullish(),
    error: text().nullish(),
  }),
)

const readExpected = shape(() =>
  ExpectedCall().transform((call, context): ExpectedToolCall => ({
    toolName: eitherOf(context, 'toolName', call.toolName, call.name),
    arguments: call.arguments ?? call.args ?? {},
  })),
)

const readActual = shape(() =>
  ActualCall().transform((call, context) => ({
    toolName: eitherOf(context, 'toolName', call.toolName, call.name),
    arguments: call.arguments ?? call.args ?? {},
    serverName: call.serverName ?? '',
    startedAt: moment(context, call.startedAt),
    durationMs: call.durationMs ?? 0,
    ...(call.result && { result: call.result }),
    ...(call.error != null && { error: call.error }),
  })),
)

function moment(context: z.RefinementCtx, value: number | string | null | undefined): number | undefined {
  const read = toEpochMs(value)
  if (value != null && (read === undefined || read < 0 || read > MAX_TIME))
    context.addIssue({ code: 'custom', path: ['startedAt'], message: 'is not a timestamp' })
  return read === undefined ? undefined : Math.round(read)
}

const Result = shape(() =>
  record({
    caseTitle: label().nullish(),
    title: label().nullish(),
    caseId: externalId().nullish(),
    externalCaseId: externalId().nullish(),
    externalIterationId: externalId().nullish(),
    query: text().nullish(),
    passed: z.boolean().nullish(),
    status: z.enum(Object.keys(STATUSES) as [keyof typeof STATUSES]).nullish(),
    startedAt: timestamp().nullish(),
    durationMs: duration().nullish(),
    provider: label().nullish(),
    model: label().nullish(),
    expectedOutput: text().nullish(),
    expectedToolCalls: z.array(readExpected()).nullish(),
    actualToolCalls: z.array(readActual()).nullish(),
    toolCalls: z.array(readActual()).nullish(),
    tokens: record({ input: count().nullish(), output: count().nullish(), total: count().nullish() }).nullish(),
    error: text().nullish(),
    errorDetails: text().nullish(),
    trace: z.unknown().optional(),
    isNegativeTest: z.boolean().nullish(),
  }),
)

export type ReportedResult = z.output<typeof ReadResult>

const ReadResult = shape(() =>
  Result().transform((result, context) => {
    const { expectedToolCalls, actualToolCalls, toolCalls, isNegativeTest } = result
    return {
      title: eitherOf(context, 'caseTitle', result.caseTitle, result.title),
      /** The id that the reporting program gave the case. */
      caseKey: known(result.caseId, result.externalCaseId),
      externalId: known(result.externalIterationId),
      prompt: known(result.query),
      /** If absent, the expected calls decide. A case with an error then does not pass. */
      verdict: readVerdict(context, result),
      startedAt: moment(context, result.startedAt),
      durationMs: known(result.durationMs),
      model: known(result.model),
      provider: known(result.provider),
      expectedOutput: known(result.expectedOutput),
      expectedCalls: expectedToolCalls ?? [],
      calls: actualToolCalls ?? toolCalls ?? [],
      tokens: known(result.tokens),
      error: known(result.error),
      errorDetails: known(result.errorDetails),
      messages: readTrace(context, result.trace),
      isNegative: isNegativeTest ?? false,
    }
  }),
)

function known<T>(...values: (T | null | undefined)[]): T | undefined {
  return values.find(value => value != null) ?? undefined
}

/** Returns the reported outcome of the iteration; undefined if the expected calls decide. */
function readVerdict(context: z.RefinementCtx, result: z.output<typeof Result>): TrialClass | undefined {
  const { passed, status, isNegativeTest, expectedToolCalls } = result
  const refuse = (path: string, message: string) => context.addIssue({ code: 'custom', path: [path], message })
  const named = status == null ? undefined : STATUSES[status]
  if (passed == null) {
    if (named === undefined && !isNegativeTest && !expectedToolCalls?.length)
      refuse('passed', 'is missing, and there are no expected tool calls to grade by')
    return named
  }
  if (named !== undefined && passed !== (named === 'passed')) refuse('status', 'contradicts passed')
  return named ?? (passed ? 'passed' : 'failed')
}

const MESSAGE_ROLES: readonly string[] = ['user', 'assistant', 'tool'] satisfies TranscriptMessage['role'][]

/**
 * Reads a trace. A text is the answer itself. Messages may be a list or in an object. Messages of other roles, such as
 * system prompts, are left out.
 */
function readTrace(context: z.RefinementCtx, trace: unknown): TranscriptMessage[] {
  if (trace == null) return []
  if (typeof trace === 'string') return [{ role: 'assistant', content: trace }]
  const list = isPlainObject(trace) ? (trace['messages'] ?? []) : trace
  const messages = z.array(record({ role: z.string(), content: z.unknown() })).safeParse(list)
  if (messages.success)
    return messages.data.flatMap(({ role, content }) =>
      MESSAGE_ROLES.includes(role) ? [{ role: role as TranscriptMessage['role'], content }] : [],
    )
  context.addIssue({ code: 'custom', path: ['trace'], message: 'is neither a text nor a list of messages' })
  return []
}

const ci = shape(() => record({ runUrl: text().nullish(), branch: text().nullish(), commitSha: text().nullish() }))

/** Body that opens a run. Undeclared fields are accepted, because the contract does not define this document. */
export const RunOpening = shape(() =>
  record({
    suiteName: label().nullish(),
    suiteId: label().nullish(),
    declaredSuiteId: label().max(128).nullish(),
    suiteDescription: text().nullish(),
    serverNames: z.array(text()).nullish(),
    notes: text().nullish(),
    passCriteria: record({ minimumPassRate: z.number().nullish() }).nullish(),
    externalRunId: externalId().nullish(),
    framework: label().nullish(),
    ci: ci().nullish(),
  }),
)
export type RunOpening = z.output<typeof RunOpening>

const results = shape(() => z.array(ReadResult()).min(1).max(MAX_RESULTS))

export const RunReport = shape(() => record({ ...RunOpening().shape, results: results() }))

const runNames = () => ({ runId: label().nullish(), externalRunId: externalId().nullish() })
/** Identifies an existing run by either of its ids. */
export const RunName = shape(() => record(runNames()))
export const RunBatch = shape(() => record({ ...runNames(), results: results() }))

/** Reads a document that the contract does not define. @throws ServiceError `VALIDATION_ERROR` naming the field */
export function readDocument<S extends z.ZodType>(schema: S, body: Record<string, unknown>): z.output<S> {
  if (hasMoreLevels(body, MAX_LEVELS)) throw invalidField('', `has more than ${MAX_LEVELS} levels`)
  const bytes = Buffer.byteLength(JSON.stringify(body))
  if (bytes > MAX_BYTES)
    throw new ServiceError(
      'VALIDATION_ERROR',
      `The document has ${bytes} bytes, at most ${MAX_BYTES} are taken; send it in pieces through runs/start.`,
      { details: { field: '' } },
    )
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const [issue] = issuesOf(parsed.error)
  throw invalidField(issue?.path ?? '', issue?.message ?? 'is not readable')
}
