import { SESSION_SOURCES } from '../../api/contract/choices.ts'
import type { Store } from '../core/database/store.ts'
import { invalidField } from '../core/validation.ts'
import { chats } from './chats.ts'
import { evalSessions } from './eval-sessions.ts'
import { journeySessions } from './journey-sessions.ts'
import {
  comparePlaces,
  type SessionFilter,
  type SessionPlace,
  type SessionRow,
  type SourceType,
  type SessionSource,
} from './session.ts'
import { visitorSessions } from './visitor-sessions.ts'

/** Whose sessions a feed shows. */
export type FeedScope = {
  projectIds: readonly string[]
  /** Absent = every surface. */
  sourceTypes?: readonly SourceType[] | undefined
}

type FeedPage = { rows: SessionRow[]; nextCursor?: string }

/**
 * The sessions of several projects and surfaces as one list. Runs inside the caller's transaction.
 * @returns at most `filter.limit` rows
 */
export function readSessions(store: Store, scope: FeedScope, filter: SessionFilter): SessionRow[] {
  const wanted = sessionSources.filter(({ sourceType }) => scope.sourceTypes?.includes(sourceType) ?? true)
  return scope.projectIds
    .flatMap(projectId => wanted.flatMap(source => source.rows(store, projectId, filter)))
    .toSorted(comparePlaces(filter.order))
    .slice(0, filter.limit)
}

/**
 * One page of a feed. A cursor holds the place of the last row, so that new sessions move nothing.
 * @param list names the feed with its options; a cursor of another one is refused
 * @throws ServiceError `VALIDATION_ERROR`
 */
export function readFeedPage(
  store: Store,
  list: string,
  scope: FeedScope,
  { cursor, ...filter }: Omit<SessionFilter, 'after'> & { cursor: string | undefined },
): FeedPage {
  const after = cursor === undefined ? undefined : toPlace(store.cursors.readText(list, cursor))
  // One more than requested shows whether there is a next page.
  const found = readSessions(store, scope, { ...filter, after, limit: filter.limit + 1 })
  const rows = found.slice(0, filter.limit)
  const last = rows.at(-1)?.summary
  return found.length > filter.limit && last
    ? { rows, nextCursor: store.cursors.write(list, `${last.lastActivityAt}:${last.id}`) }
    : { rows }
}

/** @throws ServiceError `VALIDATION_ERROR` for an unknown surface, instead of widening the filter */
export function readSourceTypes(text: string | undefined, field: string): SourceType[] | undefined {
  if (text === undefined) return undefined
  return text.split(',').map(entry => {
    const known = SESSION_SOURCES.find(source => source === entry.trim())
    if (known) return known
    throw invalidField(field, `expected a comma list of ${SESSION_SOURCES.join(', ')}`)
  })
}

function toPlace(text: string): SessionPlace {
  const separator = text.indexOf(':')
  return { at: Number(text.slice(0, separator)), id: text.slice(separator + 1) }
}

/** Every surface whose sessions this workspace holds, one line each; feeds, searches and exports follow. */
const sessionSources: readonly SessionSource[] = [evalSessions, visitorSessions, journeySessions, chats]
