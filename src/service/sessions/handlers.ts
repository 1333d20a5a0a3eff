import { projectFor, roleIn } from '../core/access/rights.ts'
import { readFeedPage, readSourceTypes } from './feed.ts'
import { searchSessions } from './search.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'

const DEFAULT_PAGE = 50

/** The feed by last activity; `q` makes it a search by relevance, also when it is blank and finds nothing. */
export function sessionHandlers({ store, runs }: ServiceContext): Handlers['sessions'] {
  return {
    list({ project, query, signal }) {
      const { q, scope = 'titles', status = 'active', limit = DEFAULT_PAGE, cursor } = query
      const sourceTypes = readSourceTypes(query.sourceType, 'sourceType')
      runs.settleAbandoned()
      const list = `sessions/${JSON.stringify([project.id, q, scope, status, sourceTypes])}`
      const feed = { projectIds: [project.id], sourceTypes }
      if (q !== undefined) return searchSessions(store, list, feed, { q, scope, status, limit, cursor, signal })
      const filter = { status, order: 'newest' as const, endedOnly: false, limit, cursor }
      const { rows, ...page } = store.read(() => readFeedPage(store, list, feed, filter))
      return { items: rows.map(({ summary }) => summary), ...page, scope }
    },
  }
}

/** Every session is shared with its project here: nobody chats with this workspace on their own. */
export function chatSessionHandlers({ store, runs }: ServiceContext): Handlers['chatSessions'] {
  return {
    list({ caller, query }) {
      // The list's own word goes before the general one.
      const { projectId, status = 'active', limit = DEFAULT_PAGE, before = query.cursor } = query
      const reachable = () =>
        store.projects.list(caller.organizationId).filter(project => {
          const role = roleIn(caller, project)
          return role !== undefined && role !== 'guest'
        })
      const projects = projectId === undefined ? reachable() : [projectFor(store, caller, projectId, 'member')]
      runs.settleAbandoned()
      const list = `chat-sessions/${JSON.stringify([caller.keyId, projectId, status])}`
      const filter = { status, order: 'newest' as const, endedOnly: false, limit, cursor: before }
      const feed = { projectIds: projects.map(({ id }) => id) }
      const { rows, ...page } = store.read(() => readFeedPage(store, list, feed, filter))
      return {
        items: rows.map(({ summary }) => ({
          id: summary.chatSessionId,
          title: summary.title,
          status,
          projectId: summary.projectId,
          visibility: 'project',
          lastActivityAt: summary.lastActivityAt,
          createdAt: summary.startedAt,
          isPinned: false,
          isUnread: false,
        })),
        ...page,
      }
    },
  }
}
