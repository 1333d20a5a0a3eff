import type { ServerCall } from '../../api/contract/calls.ts'
import { parseStored } from '../../lib/json.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { requireRow } from '../core/errors.ts'
import { isAbandoned } from '../core/lease.ts'
import { latestPage } from '../core/list-page.ts'
import { recordedResults } from './results.ts'
import type { CallRow } from './rows.ts'

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
