import { traceExports } from '../../api/contract/sessions.ts'
import { withoutKnown } from '../../lib/redaction/redaction.ts'
import { Reply } from '../core/reply.ts'
import { projectFor } from '../core/access.ts'
import { credentialsOf } from '../servers/records.ts'
import { readFeedPage, readSourceTypes } from '../sessions/feed.ts'
import { invalidField } from '../core/validation.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { createHash } from 'node:crypto'
import type { ProjectRow } from '../core/database/rows.ts'
import type { SessionRow, SessionSpan } from '../sessions/session.ts'

const NEXT_CURSOR = traceExports.otlp.cursor?.fromHeader ?? ''
const COMPLETE = 'x-mcpjam-export-complete'

/** Default number of sessions on a page. The contract states no limits; a larger page is cut to the maximum. */
const DEFAULT_PAGE = 50
const MAX_PAGE = 200

/**
 * Handles the export of ended sessions, oldest first. The cursor and the end of the export are in headers, because the
 * body is an OTLP document.
 */
export function traceExportHandlers({ store, runs }: ServiceContext): Handlers['traceExports'] {
  return {
    otlp({ caller, query }) {
      const project = projectFor(store, caller, query.projectId, 'member')
      const { cursor, limit = DEFAULT_PAGE, includeContent = false } = query
      if (limit < 1) throw invalidField('limit', 'must be at least 1')
      const sourceTypes = readSourceTypes(query.sourceTypes, 'sourceTypes')
      const list = `trace-exports/${JSON.stringify([project.id, sourceTypes])}`
      const { rows, nextCursor } = runs.read(() =>
        readFeedPage(
          store,
          list,
          { projectIds: [project.id], sourceTypes },
          { status: 'active', order: 'oldest', endedOnly: true, limit: Math.min(limit, MAX_PAGE), cursor },
        ),
      )
      // Results leave this machine, and a tool may have printed credentials from its settings.
      const known = includeContent ? store.servers.list(project.id).flatMap(credentialsOf) : []
      return new Reply(withoutKnown(toOtlp(project, rows, includeContent), known), {
        [COMPLETE]: String(nextCursor === undefined),
        ...(nextCursor !== undefined && { [NEXT_CURSOR]: nextCursor }),
      })
    },
  }
}

type OtlpValue = { stringValue: string } | { intValue: string }
type OtlpAttribute = { key: string; value: OtlpValue }

/** OTLP's numbers for kinds of spans and for their status. */
const KIND = { session: 1, step: 1, toolCall: 3 } as const
const STATUS = { unset: 0, ok: 1, error: 2 } as const
const TRACE_ID_LENGTH = 32
const SPAN_ID_LENGTH = 16

/**
 * Converts sessions to an OTLP/JSON `ExportTraceServiceRequest`, one trace for each session. Ids are derived from the
 * records, so that a repeated export has the same spans.
 * @param includeContent adds texts, arguments, results and reasons
 */
export function toOtlp(project: ProjectRow, rows: readonly SessionRow[], includeContent: boolean) {
  if (rows.length === 0) return { resourceSpans: [] }
  const resource = { 'service.name': 'mcpdeck', 'mcpdeck.project.id': project.id, 'mcpdeck.project.name': project.name }
  return {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(resource) },
        scopeSpans: [{ scope: { name: 'mcpdeck' }, spans: rows.flatMap(row => toSpans(row, includeContent)) }],
      },
    ],
  }
}

function toSpans(row: SessionRow, includeContent: boolean) {
  const { summary, status, error } = row
  const spans = row.spans()
  const traceId = hex(`trace/${summary.id}`, TRACE_ID_LENGTH)
  const idOf = (key: string) => hex(`span/${summary.id}/${key}`, SPAN_ID_LENGTH)
  const root = hex(`root/${summary.id}`, SPAN_ID_LENGTH)
  const known = new Set(spans.map(({ key }) => key))
  return [
    {
      traceId,
      spanId: root,
      name: `${summary.sourceType} ${summary.title}`,
      kind: KIND.session,
      ...times(summary.startedAt, summary.lastActivityAt - summary.startedAt),
      attributes: toAttributes({ ...sessionFacts(row), ...(includeContent && sessionContent(row)) }),
      status: { code: STATUS[status], ...(includeContent && error !== undefined && { message: error }) },
    },
    ...spans.map(span => ({
      traceId,
      spanId: idOf(span.key),
      parentSpanId: span.parent !== undefined && known.has(span.parent) ? idOf(span.parent) : root,
      name: span.name,
      kind: KIND[span.kind],
      ...times(span.startedAt, span.durationMs),
      attributes: toAttributes({ ...span.attributes, ...(includeContent && spanContent(span)) }),
      status: { code: STATUS[span.status] },
    })),
  ]
}

function sessionFacts({ summary, attributes }: SessionRow): Record<string, string | number> {
  const { cumulativeInputTokens, cumulativeOutputTokens, modelId } = summary
  return {
    'session.id': summary.chatSessionId,
    'mcpdeck.session.source': summary.sourceType,
    ...(modelId != null && { 'gen_ai.request.model': modelId }),
    ...(cumulativeInputTokens != null && { 'gen_ai.usage.input_tokens': cumulativeInputTokens }),
    ...(cumulativeOutputTokens != null && { 'gen_ai.usage.output_tokens': cumulativeOutputTokens }),
    ...attributes,
  }
}

function sessionContent({ messages, finalText }: SessionRow): Record<string, string> {
  return {
    'gen_ai.input.messages': JSON.stringify(messages),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', content: finalText }]),
  }
}

function spanContent({ content }: SessionSpan): Record<string, string> {
  const { input, output } = content ?? {}
  return {
    ...(input !== undefined && { 'gen_ai.tool.call.arguments': JSON.stringify(input) }),
    ...(output !== undefined && { 'gen_ai.tool.call.result': JSON.stringify(output) }),
  }
}

/** Returns times in nanoseconds as text, because they exceed a double's exact integers and OTLP/JSON expects text. */
function times(startedAt: number, durationMs: number) {
  const start = BigInt(Math.round(startedAt))
  const end = start + BigInt(Math.max(0, Math.round(durationMs)))
  return { startTimeUnixNano: String(start * 1_000_000n), endTimeUnixNano: String(end * 1_000_000n) }
}

function toAttributes(values: Record<string, string | number>): OtlpAttribute[] {
  return Object.entries(values).map(([key, value]) => ({
    key,
    value: typeof value === 'number' ? { intValue: String(Math.round(value)) } : { stringValue: value },
  }))
}

function hex(text: string, length: number): string {
  return createHash('sha256').update(text).digest('hex').slice(0, length)
}
