import type { ServerCall, RecordedResult } from '../../api/contract/calls.ts'
import { parseStored } from '../../lib/json.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { requireRow } from '../core/database/table.ts'
import { isAbandoned } from '../core/lease.ts'
import { latestPage } from '../core/list-page.ts'
import type { CallRow } from './rows.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { SECRET } from '../../lib/redaction/redaction.ts'
import type { Store } from '../core/database/store.ts'

type OfServer = { project: ProjectRow; params: { serverId: string } }

export function callHandlers({ store }: ServiceContext): Handlers['calls'] {
  const serverOf = ({ project, params }: OfServer) => store.servers.require(project.id, params.serverId).id
  return {
    list(call) {
      const { page } = store.calls
      return latestPage(store, { name: 'calls', ownerId: serverOf(call), query: call.query, page }, toCall)
    },
    get(call) {
      const { callId } = call.params
      const row = requireRow(store.calls.get(serverOf(call), callId), `call ${callId} of this server`)
      return { ...toCall(row), ...(row.result !== undefined && { result: parseStored(row.result) }) }
    },
    results: call => ({
      items: recordedResults(store, call.project.id, store.servers.require(call.project.id, call.params.serverId)),
    }),
    clear(call) {
      const serverId = serverOf(call)
      return { cleared: store.write(() => store.calls.clear(serverId, lease => !isAbandoned(lease))) }
    },
  }
}

function toCall(row: CallRow): ServerCall {
  const { id, kind, target, input, incomplete, startedAt, durationMs, status, error, resultBytes, lease } = row
  return {
    id,
    kind,
    target,
    input: input ?? null,
    incomplete: incomplete ?? null,
    startedAt,
    status: status ?? statusBeforeEnd(kind, isAbandoned(lease)),
    durationMs: durationMs ?? null,
    error: error ?? null,
    resultBytes: resultBytes ?? null,
  }
}

/** Whoever made it may have ended before it was known what came of it; only a tool acts. */
function statusBeforeEnd(kind: CallRow['kind'], isGone: boolean): ServerCall['status'] {
  if (!isGone) return 'running'
  return kind === 'tool' ? 'unknown' : 'failed'
}

/** Calls and trials that are looked through, the newest first. */
const CALLS = 200
const TRIALS = 50

type Result = RecordedResult & { at: number }

/** What each tool of a server returned last, by hand or in a trial of the project; trials name servers. */
export function recordedResults(store: Store, projectId: string, server: { id: string; name: string }): Result[] {
  const latest = new Map<string, Result>()
  const note = (found: Pick<Result, 'tool' | 'of' | 'at'>, result: unknown): void => {
    const known = latest.get(found.tool)
    if (!isPlainObject(result) || result['isError'] === true || (known && known.at >= found.at)) return
    const { structuredContent } = result
    latest.set(found.tool, { ...found, ...(structuredContent !== undefined && { structuredContent }) })
  }
  for (const { kind, target: tool, startedAt: at, status, result } of store.calls.page(server.id, undefined, CALLS))
    // Struck out secrets may be why a result does not fit.
    if (kind === 'tool' && status === 'answered' && result !== undefined && !result.includes(SECRET))
      note({ tool, of: 'call', at }, parseStored(result))
  for (const { transcript } of store.trials.latestOutcomes(projectId, TRIALS))
    for (const { serverName, toolName: tool, startedAt: at, result } of transcript.toolCalls)
      if (serverName === server.name) note({ tool, of: 'trial', at }, result)
  return [...latest.values()]
}
