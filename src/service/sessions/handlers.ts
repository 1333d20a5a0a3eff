import { projectFor, roleIn } from '../core/access.ts'
import { readFeedPage, readSourceTypes, readSessions, type FeedScope } from './feed.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { setImmediate } from 'node:timers/promises'
import type { SessionSummary } from '../../api/contract/sessions.ts'
import { messageText } from '../evals/call-matching.ts'
import type { Store } from '../core/database/store.ts'
import type { SessionFilter, SessionPlace, SessionRow } from './session.ts'

const DEFAULT_PAGE = 50

/**
 * Handles the feed, which is sorted by last activity. With `q` it is a search sorted by relevance. A blank `q` finds
 * nothing.
 */
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

/** Handles sessions and chats. In this workspace all of them are shared with their project. */
export function chatSessionHandlers({ store, runs }: ServiceContext): Handlers['chatSessions'] {
  return {
    list({ caller, query }) {
      // The parameter `before` of this list takes precedence over the general `cursor`.
      const { projectId, status = 'active', limit = DEFAULT_PAGE, before = query.cursor } = query
      const reachable = () =>
        store.projects.list(caller.organizationId).filter(project => {
          const role = roleIn(caller, project)
          return role !== undefined && role !== 'guest'
        })
      const projects = projectId === undefined ? reachable() : [projectFor(store, caller, projectId, 'member')]
      const list = `chat-sessions/${JSON.stringify([caller.keyId, projectId, status])}`
      const filter = { status, order: 'newest' as const, endedOnly: false, limit, cursor: before }
      const feed = { projectIds: projects.map(({ id }) => id) }
      const { rows, ...page } = runs.read(() => readFeedPage(store, list, feed, filter))
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

type SearchScope = 'titles' | 'transcripts'

type Search = {
  /** Words that must all occur. If there are none, nothing is found. */
  q: string
  scope: SearchScope
  status: SessionFilter['status']
  limit: number
  cursor: string | undefined
  signal: AbortSignal
}

/** A found session and its position: better matches first, then newer ones. */
type Match = { summary: SessionSummary; score: number; at: number; id: string }

/** Number of sessions that are searched before other requests are served. */
const BATCH = 200
/** Characters of a transcript shown before and after the beginning of a match. */
const WINDOW = 60

/**
 * Searches sessions, most relevant first. A word in the title counts twice as much as one in the opening message. In
 * transcripts every occurrence counts.
 * @param list names the search with its options
 */
export async function searchSessions(store: Store, list: string, feed: FeedScope, search: Search) {
  const { q, scope, status, limit, cursor, signal } = search
  const last = cursor === undefined ? undefined : readRank(store.cursors.readText(list, cursor))
  const words = [...new Set(q.toLowerCase().split(/\s+/).filter(Boolean))]
  const matches: Match[] = []
  let after: SessionPlace | undefined
  for (let more = words.length > 0; more;) {
    signal.throwIfAborted()
    const filter = { status, order: 'newest' as const, after, endedOnly: false, limit: BATCH }
    const rows = store.read(() => readSessions(store, feed, filter))
    for (const row of rows) matches.push(...matchOf(row, words, scope))
    const { lastActivityAt: at, id } = rows.at(-1)?.summary ?? { lastActivityAt: 0, id: '' }
    after = { at, id }
    more = rows.length === BATCH
    if (more) await setImmediate()
  }
  const behind = matches.toSorted(compareRanks).filter(match => !last || compareRanks(last, match) < 0)
  const shown = behind.slice(0, limit)
  const end = shown.at(-1)
  return {
    items: shown.map(({ summary }) => summary),
    ...(end && behind.length > limit && { nextCursor: store.cursors.write(list, `${end.score}:${end.at}:${end.id}`) }),
    scope,
  }
}

function matchOf(row: SessionRow, words: readonly string[], scope: SearchScope): Match[] {
  const { summary } = row
  const found = scope === 'titles' ? matchTitle(row, words) : matchTranscript(row, words)
  if (!found) return []
  const { score, ...preview } = found
  return [{ summary: { ...summary, ...preview }, score, at: summary.lastActivityAt, id: summary.id }]
}

function matchTitle({ summary, messages }: SessionRow, words: readonly string[]): { score: number } | undefined {
  const title = summary.title.toLowerCase()
  const opening = messageText(messages.find(({ role }) => role === 'user')?.content)
  const first = `${opening}\n${summary.firstMessagePreview ?? ''}`.toLowerCase()
  const scores = words.map(word => (title.includes(word) ? 2 : first.includes(word) ? 1 : 0))
  return scores.includes(0) ? undefined : { score: scores.reduce<number>((sum, score) => sum + score, 0) }
}

function matchTranscript({ messages, finalText }: SessionRow, words: readonly string[]) {
  const said = messages.map(({ content }) => messageText(content)).filter(Boolean)
  const text = (said.includes(finalText) ? said : [...said, finalText]).join('\n')
  const folded = text.toLowerCase()
  const counts = words.map(word => folded.split(word).length - 1)
  if (counts.includes(0)) return undefined
  const at = folded.indexOf(words[0]!)
  const window = text.slice(Math.max(0, at - WINDOW), at + WINDOW).replaceAll(/\s+/g, ' ')
  return { score: counts.reduce((sum, count) => sum + count, 0), matchPreview: window.trim() || null }
}

type Rank = Pick<Match, 'score' | 'at' | 'id'>

function compareRanks(a: Rank, b: Rank): number {
  return b.score - a.score || b.at - a.at || (a.id === b.id ? 0 : a.id < b.id ? 1 : -1)
}

function readRank(text: string): Rank {
  const [score, at, ...id] = text.split(':')
  return { score: Number(score), at: Number(at), id: id.join(':') }
}
