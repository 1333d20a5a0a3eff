import { traceExports } from '../../api/contract/sessions.ts'
import { Reply } from '../core/reply.ts'
import { projectFor } from '../core/access/rights.ts'
import { readFeedPage, readSourceTypes } from '../sessions/feed.ts'
import { toOtlp } from './otlp.ts'
import { invalidField } from '../core/validation.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

const NEXT_CURSOR = traceExports.otlp.cursor?.fromHeader ?? ''
const COMPLETE = 'x-mcpjam-export-complete'

/** Sessions on a page; the contract states no limits, and a larger page is cut to the longest. */
const DEFAULT_PAGE = 50
const MAX_PAGE = 200

/**
 * Ended sessions, oldest first, so that a later export goes on where this one stopped. A page holds whole traces and
 * `limit` counts them; its cursor and its end are told in headers, which leaves the body an OTLP document.
 */
export function traceExportHandlers({ store, runs }: ServiceContext): Handlers['traceExports'] {
  return {
    otlp({ caller, query }) {
      const project = projectFor(store, caller, query.projectId, 'member')
      const { cursor, limit = DEFAULT_PAGE, includeContent = false } = query
      if (limit < 1) throw invalidField('limit', 'must be at least 1')
      const sourceTypes = readSourceTypes(query.sourceTypes, 'sourceTypes')
      runs.settleAbandoned()
      const list = `trace-exports/${JSON.stringify([project.id, sourceTypes])}`
      const { rows, nextCursor } = store.read(() =>
        readFeedPage(
          store,
          list,
          { projectIds: [project.id], sourceTypes },
          { status: 'active', order: 'oldest', endedOnly: true, limit: Math.min(limit, MAX_PAGE), cursor },
        ),
      )
      return new Reply(toOtlp(project, rows, includeContent), {
        [COMPLETE]: String(nextCursor === undefined),
        ...(nextCursor !== undefined && { [NEXT_CURSOR]: nextCursor }),
      })
    },
  }
}
