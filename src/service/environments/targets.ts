import { requireClient } from '../clients/records.ts'
import { requireEnvironment, requireLive } from './records.ts'
import { ServiceError } from '../core/errors.ts'
import type { Store } from '../core/database/store.ts'

/**
 * The environments a swarm or a journey names, each once; those that it named before may have been archived since.
 * @throws ServiceError `NOT_FOUND`, `CONFLICT` with `ENV_ARCHIVED`
 */
export function namedEnvironments(
  store: Store,
  projectId: string,
  wanted: readonly string[],
  before: readonly string[] = [],
): string[] {
  const ids = [...new Set(wanted)]
  for (const id of ids) {
    const row = requireEnvironment(store, projectId, id)
    if (!before.includes(id)) requireLive(row)
  }
  return ids
}

/**
 * The clients a journey names, each once; those that it named before may have been deleted since.
 * @throws ServiceError `NOT_FOUND`
 */
export function namedClients(
  store: Store,
  projectId: string,
  wanted: readonly string[],
  before: readonly string[] = [],
): string[] {
  const ids = [...new Set(wanted)]
  for (const id of ids) if (!before.includes(id)) requireClient(store, projectId, id)
  return ids
}

/** Server groups cannot be made over the API, so that none can be named. @throws ServiceError `NOT_FOUND` */
export function refuseServerGroup(serverAttachmentId: string | null | undefined): void {
  if (serverAttachmentId == null) return
  throw new ServiceError(
    'NOT_FOUND',
    `There is no server group ${serverAttachmentId} in this project; name an environment instead.`,
  )
}

/** @throws ServiceError `CONFLICT` */
export function requireNotArchived(what: string, { archivedAt }: { archivedAt: number | null }): void {
  if (archivedAt !== null) throw new ServiceError('CONFLICT', `The ${what} is archived.`)
}
