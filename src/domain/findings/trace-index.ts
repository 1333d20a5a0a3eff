import type { Client } from '../../api/client/client.ts'
import { messagesOfSession, sessionsOnPage } from './session-trace.ts'

/** Sessions on a page that is read without what was said in them. */
export const SESSIONS_A_PAGE = 200
/** Pages that are searched at a time; each is a request. */
const MOST_PAGES = 20

/** The result of a search for a session. */
export type FoundTrace = {
  /** Undefined where the session is not in the export, or not on the pages that were searched. */
  messages: readonly Readonly<Record<string, unknown>>[] | undefined
  /** Sessions that were searched. */
  searched: number
  /** Whether the export was searched to its end. */
  isWhole: boolean
}

/** Where a page begins, and how many sessions of it stand before one. */
type Position = { cursor: string | undefined; before: number }

type ReadOptions = {
  signal: AbortSignal
  /** Called with how many sessions were searched so far. */
  onProgress: (searched: number) => void
}

/** Finds single sessions in the trace export of a project, which contains all of them, oldest first. */
export type TraceIndex = {
  /** What was said in the session that has one of these ids; only its own content is read. */
  read: (ids: readonly string[], options: ReadOptions) => Promise<FoundTrace>
}

/** Remembers where sessions stand in the export, so that the next one is found with fewer requests. */
export function createTraceIndex(client: Pick<Client, 'traceExports'>, projectId: string): TraceIndex {
  const positions = new Map<string, Position>()
  /** The page that is searched next; the last one is searched again, since sessions are added at its end. */
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
        // A service that counts something else than sessions, or whose sessions moved: the whole page has it.
        messagesOfSession(await page({ limit: SESSIONS_A_PAGE, cursor, includeContent: true }, signal), ids)
      for (const id of messages ? [] : ids) positions.delete(id)
      return { messages, searched, isWhole: true }
    },
  }
}

/** The cursor of the next page, which the client puts in where the service has it in a header. */
function cursorOf({ nextCursor }: { nextCursor?: unknown }): string | undefined {
  return typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
}
