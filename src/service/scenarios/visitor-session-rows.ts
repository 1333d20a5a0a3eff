import type { FeedFilter } from '../core/list-page.ts'
import type { Database } from '../../lib/sqlite.ts'
import { boolean, tableOf } from '../core/database/table.ts'
import type { Lease } from '../core/lease.ts'

/** Who ended a session: the visitor, or the owner in one of three ways. */
export type SessionEnd = 'visitor' | 'unpublished' | 'narrowed' | 'removed'

export type VisitorSessionRow = {
  id: string
  scenarioId: string
  /** Public part of the token, by which the session is found. */
  tokenLookup: string
  /** SHA-256 of the whole token. */
  tokenHash: Uint8Array
  /** The scenario's access version when the session was opened. */
  accessVersion: number
  authType: 'signedIn' | 'guest'
  /** The invitation with which the session was opened. Its member may have been removed. */
  memberId: string | null
  /** The API key with which the visitor signed in. */
  keyId: string | null
  displayName: string | null
  /** Null for guests, who cannot be recognized. */
  recency: 'new' | 'returning' | null
  deviceKind: string | null
  language: string | null
  /** Model of the last answer. */
  modelId: string | null
  /** Whether the last answer failed because a server required a sign-in. */
  authInterrupted: boolean
  rating: number | null
  comment: string | null
  feedbackCount: number
  startedAt: number
  lastActivityAt: number
  endedAt: number | null
  endedBy: SessionEnd | null
}

/** A message. One with role `tool` is a call with its outcome, one with role `system` is a failed answer. */
export type VisitorMessageRow = {
  sessionId: string
  position: number
  role: 'user' | 'assistant' | 'tool' | 'system'
  /** With role `tool` the beginning of the tool's error text. Other contents of calls are not stored. */
  text: string
  toolName: string | null
  serverId: string | null
  serverName: string | null
  isError: boolean
  errorCode: string | null
  durationMs: number | null
  /** Tokens that the answer used. */
  tokens: number | null
  createdAt: number
}

export type VisitorSessionSummary = VisitorSessionRow & {
  number: number
  messageCount: number
  toolCallCount: number
  /** The first message of the visitor. */
  preview: string | null
}

export type VisitorFeedRow = VisitorSessionSummary & { scenarioName: string }

/** One day of a scenario and the signals of its sessions. */
export type ScenarioWindowRow = {
  id: string
  scenarioId: string
  startAt: number
  /** End of the day in epoch milliseconds, which is not part of it. */
  endAt: number
  minedAt: number
  signals: string
}

type StoredSession = VisitorSessionRow & {
  number: number
  leaseToken: string | null
  leaseHost: string | null
  leasePid: number | null
  leaseExpiresAt: number | null
}
type StoredSummary = StoredSession & Pick<VisitorSessionSummary, 'messageCount' | 'toolCallCount' | 'preview'>

/** Length of a window: one day, UTC. */
export const DAY_MS = 24 * 60 * 60 * 1000

const TOTALS = `
  (SELECT count(*) FROM visitorMessage m WHERE m.sessionId = s.id) AS messageCount,
  (SELECT count(*) FROM visitorMessage m WHERE m.sessionId = s.id AND m.role = 'tool') AS toolCallCount,
  (SELECT text FROM visitorMessage m WHERE m.sessionId = s.id AND m.role = 'user' ORDER BY position LIMIT 1) AS preview`

export function createVisitorSessionRows(database: Database) {
  const sessions = tableOf<VisitorSessionRow, StoredSession>(database, 'visitorSession', {
    kinds: { authInterrupted: boolean() },
  })
  const one = (match: Partial<VisitorSessionRow>) => {
    const row = sessions.one(match)
    return row && toSession(row)
  }
  const summaries = (condition: string, values: Record<string, string | number>) =>
    database
      .all<object>(`SELECT s.*, ${TOTALS} FROM visitorSession s WHERE ${condition}`, values)
      .map(row => toSummary(sessions.read<StoredSummary>(row)))
  return {
    get: (id: string) => one({ id }),
    findByToken: (tokenLookup: string) => one({ tokenLookup }),
    /** Whether this member or this key has visited the scenario before. */
    knows: (scenarioId: string, { memberId, keyId }: Pick<VisitorSessionRow, 'memberId' | 'keyId'>) =>
      database.get(
        `SELECT 1 FROM visitorSession WHERE scenarioId = :scenarioId
         AND (memberId = :memberId OR keyId = :keyId) LIMIT 1`,
        { scenarioId, memberId, keyId },
      ) !== undefined,
    insert: sessions.basics.insert,
    update: sessions.basics.update,
    /** Ends every open session of a scenario, and returns their ids. */
    endLive: (scenarioId: string, endedBy: SessionEnd, at: number) =>
      database
        .all<{ id: string }>(
          `UPDATE visitorSession SET endedAt = :at, endedBy = :endedBy
           WHERE scenarioId = :scenarioId AND endedAt IS NULL RETURNING id`,
          { scenarioId, endedBy, at },
        )
        .map(({ id }) => id),
    /** Returns the sessions before a position, latest first. */
    page: (scenarioId: string, before: number | undefined, limit: number) =>
      summaries(
        `scenarioId = :scenarioId${before === undefined ? '' : ' AND number < :before'}
         ORDER BY number DESC LIMIT :limit`,
        { scenarioId, limit, ...(before !== undefined && { before }) },
      ),
    summary: (scenarioId: string, id: string) =>
      summaries('scenarioId = :scenarioId AND id = :id', { scenarioId, id })[0],
    /**
     * Returns a project's sessions sorted by their last activity, including those of scenarios that were taken down.
     * @param filter `overSince`: only sessions that have ended or had no activity since this time
     */
    feed(projectId: string, filter: FeedFilter & { overSince: number | undefined }): VisitorFeedRow[] {
      const { order, after, overSince, limit } = filter
      const [direction, beyond] = order === 'newest' ? ['DESC', '<'] : ['ASC', '>']
      const sql = `
        SELECT s.*, c.name AS scenarioName, ${TOTALS}
        FROM visitorSession s JOIN scenario c ON c.id = s.scenarioId
        WHERE c.projectId = :projectId
          ${after ? `AND (s.lastActivityAt, s.id) ${beyond} (:at, :id)` : ''}
          ${overSince === undefined ? '' : 'AND (s.endedAt IS NOT NULL OR s.lastActivityAt <= :overSince)'}
        ORDER BY s.lastActivityAt ${direction}, s.id ${direction} LIMIT :limit`
      const values = { projectId, limit, ...after, ...(overSince !== undefined && { overSince }) }
      return database.all<object>(sql, values).map(row => {
        const { scenarioName, ...rest } = sessions.read<StoredSummary & { scenarioName: string }>(row)
        return { ...toSummary(rest), scenarioName }
      })
    },
    count: (scenarioId: string) =>
      database.get<{ count: number }>('SELECT count(*) AS count FROM visitorSession WHERE scenarioId = :scenarioId', {
        scenarioId,
      })?.count ?? 0,
    startedBetween: (scenarioId: string, startAt: number, endAt: number) =>
      sessions
        .all({ scenarioId }, 'AND startedAt >= :startAt AND startedAt < :endAt ORDER BY number', { startAt, endAt })
        .map(toSession),
    /** Returns the lease of the process that is writing an answer. */
    lease(id: string): Lease | undefined {
      const { leaseToken, leaseHost, leasePid, leaseExpiresAt } = sessions.one({ id }) ?? {}
      return leaseToken
        ? { token: leaseToken, host: leaseHost ?? '', pid: leasePid ?? 0, expiresAt: leaseExpiresAt ?? 0 }
        : undefined
    },
    setLease(id: string, lease: Lease | undefined) {
      database.run(
        `UPDATE visitorSession SET leaseToken = :token, leaseHost = :host, leasePid = :pid,
         leaseExpiresAt = :expiresAt WHERE id = :id`,
        { id, token: lease?.token, host: lease?.host, pid: lease?.pid, expiresAt: lease?.expiresAt },
      )
    },
    renewLease: (token: string, expiresAt: number) =>
      void database.run('UPDATE visitorSession SET leaseExpiresAt = :expiresAt WHERE leaseToken = :token', {
        token,
        expiresAt,
      }),
    messages: createMessageRows(database),
    windows: createWindowRows(database),
  }
}

function createMessageRows(database: Database) {
  const messages = tableOf<VisitorMessageRow>(database, 'visitorMessage', {
    key: 'sessionId',
    kinds: { isError: boolean() },
  })
  const page = (sessionId: string, after: number, limit: number) =>
    messages.all({ sessionId }, 'AND position > :after ORDER BY position LIMIT :limit', { after, limit })
  return {
    insert(row: Omit<VisitorMessageRow, 'position'>): VisitorMessageRow {
      const last = database.get<{ last: number | null }>(
        'SELECT max(position) AS last FROM visitorMessage WHERE sessionId = :sessionId',
        { sessionId: row.sessionId },
      )?.last
      const message = { ...row, position: (last ?? -1) + 1 }
      messages.basics.insert(message)
      return message
    },
    /** Returns the messages after a position, oldest first. */
    page,
    all: (sessionId: string) => page(sessionId, -1, -1),
    countOfGuests: (scenarioId: string, since: number) =>
      database.get<{ count: number }>(
        `SELECT count(*) AS count FROM visitorMessage m JOIN visitorSession s ON s.id = m.sessionId
         WHERE s.scenarioId = :scenarioId AND s.authType = 'guest' AND s.lastActivityAt >= :since
         AND m.role = 'user' AND m.createdAt >= :since`,
        { scenarioId, since },
      )?.count ?? 0,
  }
}

function createWindowRows(database: Database) {
  const windows = tableOf<ScenarioWindowRow>(database, 'scenarioWindow', { owner: 'scenarioId' })
  return {
    /**
     * Returns the days of published scenarios that have to be analyzed: since the last analysis a session changed, or
     * has now been inactive for `idleMs`.
     */
    due: (now: number, idleMs: number, scenarioId?: string): { scenarioId: string; startAt: number }[] =>
      database.all(
        `SELECT DISTINCT s.scenarioId, s.startedAt - s.startedAt % ${DAY_MS} AS startAt
         FROM visitorSession s JOIN scenario c ON c.id = s.scenarioId AND c.unpublishedAt IS NULL
         LEFT JOIN scenarioWindow w
           ON w.scenarioId = s.scenarioId AND w.startAt = s.startedAt - s.startedAt % ${DAY_MS}
         WHERE (:scenarioId IS NULL OR s.scenarioId = :scenarioId) AND (
           w.id IS NULL OR max(s.lastActivityAt, coalesce(s.endedAt, 0)) >= w.minedAt
           OR (s.lastActivityAt + :idleMs <= :now AND s.lastActivityAt + :idleMs >= w.minedAt))
         ORDER BY s.scenarioId, startAt`,
        { now, idleMs, scenarioId },
      ),
    get: windows.basics.get,
    at: (scenarioId: string, startAt: number) => windows.one({ scenarioId, startAt }),
    latest: (scenarioId: string) => windows.one({ scenarioId }, 'ORDER BY startAt DESC LIMIT 1'),
    after: (scenarioId: string, startAt: number) =>
      windows.all({ scenarioId }, 'AND startAt > :startAt ORDER BY startAt', { startAt }),
    save: windows.put,
  }
}

function toSummary({ messageCount, toolCallCount, preview, ...session }: StoredSummary): VisitorSessionSummary {
  return { ...toSession(session), number: session.number, messageCount, toolCallCount, preview }
}

function toSession(stored: StoredSession): VisitorSessionRow {
  const { number: _number, leaseToken: _token, leaseHost: _host, leasePid: _pid, ...rest } = stored
  const { leaseExpiresAt: _expiresAt, ...session } = rest
  return session
}
