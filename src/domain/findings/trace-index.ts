import type { Client } from '../../api/client/client.ts'
import { messagesOfSession, sessionsOnPage } from './session-trace.ts'

/** Number of sessions on a page that is read without content. */
export const SESSIONS_A_PAGE = 200
/** Maximum number of pages for one search; each is a request. */
const MOST_PAGES = 20

/** The result of a search for a session. */
export type FoundTrace = {
  /** Undefined if the session is not in the export, or not on the pages searched. */
  messages: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Number of sessions searched, without those of the last page. */
  searched: number
  /** Whether the export was searched to its end, or had the session. */
  isWhole: boolean
}

/** The beginning of a page, and the number of its sessions before the wanted one. */
type Position = { cursor: string | undefined; before: number }

type ReadOptions = {
  signal: AbortSignal
  /** Called with the number of sessions searched so far. */
  onProgress: (searched: number) => void
}

/** Finds single sessions in the trace export of a project, which lists all sessions, oldest first. */
export type TraceIndex = {
  /** Returns the messages of the session with one of these ids, and reads content only for that session. */
  read: (ids: readonly string[], options: ReadOptions) => Promise<FoundTrace>
}

/** Remembers the positions of sessions in the export, so that later ones need fewer requests. */
export function createTraceIndex(client: Pick<Client, 'traceExports'>, projectId: string): TraceIndex {
  const positions = new Map<string, Position>()
  /** Cursor of the next page to search. The last page is searched again, since sessions are added at the end. */
  let next: string | undefined
  let searched = 0
  const page = async (query: object, signal: AbortSignal) =>
    await client.traceExports.otlp({ projectId, sourceTypes: 'swarm', ...query }, { signal })
  const positionOf = (ids: readonly string[]): Position | undefined =>
    ids.map(id => positions.get(id)).find(position => position !== undefined)
  const search = async (ids: readonly string[], { signal, onProgress }: ReadOptions): Promise<boolean> => {
    for (let pages = 0; pages < MOST_PAGES && !positionOf(ids); pages += 1) {
      const cursor = next
      const found = await page({ limit: SESSIONS_A_PAGE, cursor }, signal)
      const sessions = sessionsOnPage(found)
      for (const [before, names] of sessions.entries())
        for (const name of names) positions.set(name, { cursor, before })
      onProgress(searched + sessions.length)
      const after = cursorOf(found)
      if (after === undefined) return true
      next = after
      searched += sessions.length
    }
    return false
  }
  const readAt = async (ids: readonly string[], { cursor, before }: Position, signal: AbortSignal) => {
    const start = before === 0 ? cursor : cursorOf(await page({ limit: before, cursor }, signal))
    if (start === undefined && before > 0) return undefined
    return messagesOfSession(await page({ limit: 1, cursor: start, includeContent: true }, signal), ids)
  }
  return {
    async read(ids, options) {
      const isWhole = await search(ids, options)
      const position = positionOf(ids)
      if (!position) return { messages: undefined, searched, isWhole }
      const { cursor } = position
      const { signal } = options
      const messages =
        (await readAt(ids, position, signal)) ??
        // The service counts something other than sessions, or sessions have moved, so the whole page is read.
        messagesOfSession(await page({ limit: SESSIONS_A_PAGE, cursor, includeContent: true }, signal), ids)
      for (const id of messages ? [] : ids) positions.delete(id)
      return { messages, searched, isWhole: true }
    },
  }
}

/** Returns the cursor of the next page. If the service sends it in a header, the client copies it to the answer. */
function cursorOf({ nextCursor }: { nextCursor?: unknown }): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
}
