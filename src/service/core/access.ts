import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { KEY_PREFIX, contract } from '../../api/contract/contract.ts'
import { ServiceError } from './errors.ts'
import { newId } from './ids.ts'
import {
  type AnyEndpoint,
  type ProjectRole,
  isAtLeast,
  requiredRole,
  roleSentence,
} from '../../api/contract/endpoint.ts'
import type { KeyRow, ProjectRow } from './database/rows.ts'
import type { Store } from './database/store.ts'
import { readSecretFile } from './database/data-directory.ts'
import { whileUnchanged } from '../../lib/sqlite.ts'
import { writeForOwner } from '../../lib/files/write-atomically.ts'

/** Number of characters after the prefix that are public. A key is found by them. */
const LOOKUP_LENGTH = 12
const SECRET_BYTES = 32

/** Id in place of a key's id for requests without a key. */
export const NOBODY = 'nobody'

/** The access rights of a key: one role for all projects of its organization, and other roles for single projects. */
export type KeyRights = { role?: ProjectRole; grants?: Readonly<Record<string, ProjectRole>> }

/** A key without its secret, which may be shown. */
export type KeySummary = {
  id: string
  name: string
  /** `sk_` and the public part of the key. */
  prefix: string
  role: ProjectRole | null
  /** Role of the key in single projects, by project id. */
  grants: Record<string, ProjectRole>
  /** Null if the key is orphaned. */
  organizationId: string | null
  createdAt: number
  revokedAt: number | null
}

export type Caller = {
  keyId: string
  accountId: string
  organizationId: string
  role: ProjectRole | null
  grants: ReadonlyMap<string, ProjectRole>
}

/**
 * Creates a key, which is returned once and stored as a hash. @throws ServiceError `NOT_FOUND` for an unknown project
 */
export function makeKey(store: Store, name: string, rights: KeyRights): { key: string; summary: KeySummary } {
  const lookup = randomBytes(LOOKUP_LENGTH / 2).toString('hex')
  const key = `${KEY_PREFIX}${lookup}${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { key, summary: store.write(() => registerKey(store, key, name, rights)) }
}

/** Stores an existing key, for example from the file of a workspace whose database was deleted. */
export function registerKey(store: Store, key: string, name: string, rights: KeyRights): KeySummary {
  const organizationId = store.settings.get('localOrganizationId')
  const accountId = store.settings.get('localAccountId')
  if (!organizationId || !accountId) throw new Error('The workspace has no organization yet.')
  const row: KeyRow = {
    id: newId('key'),
    lookup: lookupOf(key),
    hash: hashOf(key),
    name,
    accountId,
    organizationId,
    role: rights.role ?? null,
    createdAt: Date.now(),
    revokedAt: null,
  }
  store.keys.insert(row)
  for (const [projectId, role] of Object.entries(rights.grants ?? {})) {
    const project = store.projects.get(projectId)
    if (project?.organizationId !== organizationId)
      throw new ServiceError('NOT_FOUND', `There is no project ${projectId}.`)
    store.keys.grant(row.id, projectId, role)
  }
  return summarize(store, row)
}

/** Lists every key of the workspace, including revoked ones, oldest first. */
export function listKeys(store: Store): KeySummary[] {
  return store.read(() => store.keys.list().map(row => summarize(store, row)))
}

/** Revokes a key at once. Returns false if there is no such key or it was already revoked. */
export function revokeKey(store: Store, keyId: string): boolean {
  return store.write(() => store.keys.revoke(keyId, Date.now()))
}

/** Removes a key's organization. Returns false if the key is unknown, revoked or has no organization. */
export function orphanKey(store: Store, keyId: string): boolean {
  return store.write(() => store.keys.orphan(keyId))
}

/** Whether the text has the format of a key. */
export function looksLikeKey(text: string): boolean {
  return text.startsWith(KEY_PREFIX) && text.length > KEY_PREFIX.length + LOOKUP_LENGTH
}

/** Returns the record of a key, even a revoked one. Keys are compared in constant time. */
export function findKey(store: Store, key: string): KeyRow | undefined {
  const row = store.keys.find(lookupOf(key))
  return row && timingSafeEqual(row.hash, hashOf(key)) ? row : undefined
}

/**
 * Returns the caller that an `Authorization` header identifies.
 * @throws ServiceError `UNAUTHORIZED`, with `ORPHANED_KEY` if the key lost its organization
 */
export function authenticate(store: Store, authorization: string | null): Caller {
  const key = /^Bearer (\S+)$/i.exec(authorization ?? '')?.[1]
  if (key === undefined) throw new ServiceError('UNAUTHORIZED', 'Send "Authorization: Bearer sk_…".')
  return callerOf(looksLikeKey(key) ? findKey(store, key) : undefined, store)
}

/**
 * Creates an {@link authenticate} that reads the rights of a key again only if something in the workspace has changed.
 */
export function createAuthentication(store: Store): (authorization: string | null) => Caller {
  const callers = whileUnchanged<string, Caller>(store)
  // Callers are found by a hash, so that the time of a search reveals nothing about the known keys.
  return authorization => callers(hash('sha256', authorization ?? ''), () => authenticate(store, authorization))
}

/** Returns the caller with a valid key. @throws ServiceError `UNAUTHORIZED` as {@link authenticate} */
export function callerOf(row: KeyRow | undefined, store: Store): Caller {
  if (!row || row.revokedAt !== null) throw new ServiceError('UNAUTHORIZED', 'The API key is unknown or revoked.')
  if (row.organizationId === null)
    throw new ServiceError('UNAUTHORIZED', 'The API key belongs to no organization any more.', {
      details: { reason: 'ORPHANED_KEY' },
    })
  return {
    keyId: row.id,
    accountId: row.accountId,
    organizationId: row.organizationId,
    role: row.role,
    grants: store.keys.grants(row.id),
  }
}

/** Returns the caller of public operations without a key. All such callers share one rate limit. */
export function nobody(store: Store): Caller {
  return {
    keyId: NOBODY,
    accountId: store.settings.get('localAccountId') ?? '',
    organizationId: store.settings.get('localOrganizationId') ?? '',
    role: null,
    grants: new Map(),
  }
}

function lookupOf(key: string): string {
  return key.slice(KEY_PREFIX.length, KEY_PREFIX.length + LOOKUP_LENGTH)
}

function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer')
}

function summarize(store: Store, { id, name, lookup, role, organizationId, createdAt, revokedAt }: KeyRow) {
  const grants = Object.fromEntries(store.keys.grants(id))
  return { id, name, prefix: `${KEY_PREFIX}${lookup}`, role, grants, organizationId, createdAt, revokedAt }
}

/**
 * Returns the owner's key in a file: the stored key if it is valid, else a new one. A valid key that the database lacks
 * is registered.
 * @param file undefined for a workspace in memory
 */
export function ensureKeyFile(store: Store, file: string | undefined, name: string): { key: string; keyId: string } {
  return store.write(() => {
    const kept = keyIn(file)
    if (kept !== undefined && !findKey(store, kept))
      return { key: kept, keyId: registerKey(store, kept, name, { role: 'admin' }).id }
    const counting = countingKey(store, file)
    if (counting) return counting
    const { key, summary } = makeKey(store, name, { role: 'admin' })
    if (file !== undefined) writeForOwner(file, `${key}\n`, { flush: true })
    return { key, keyId: summary.id }
  })
}

/** Returns the key in a file if it can be used; undefined if {@link ensureKeyFile} would replace it. */
export function countingKey(store: Store, file: string | undefined): { key: string; keyId: string } | undefined {
  const key = keyIn(file)
  const known = key === undefined ? undefined : findKey(store, key)
  if (key === undefined || !known || known.revokedAt !== null || isReplaceable(store, known)) return undefined
  return { key, keyId: known.id }
}

function keyIn(file: string | undefined): string | undefined {
  const text = file === undefined ? undefined : readSecretFile(file)?.toString('utf8').trim()
  return text !== undefined && looksLikeKey(text) ? text : undefined
}

/**
 * Whether a key lost its organization and can be replaced. It cannot if the workspace has none, since a key needs one.
 */
function isReplaceable(store: Store, { organizationId }: KeyRow): boolean {
  const own = store.settings.get('localOrganizationId')
  return organizationId === null && own !== undefined && store.organizations.get(own) !== undefined
}

/** Returns the id of the project in a path. `default` is the organization's oldest project. */
export function namedProject(store: Store, caller: Caller, endpoint: AnyEndpoint, projectId: string): string {
  if (projectId !== 'default' || !endpoint.defaultProject) return projectId
  return store.projects.list(caller.organizationId)[0]?.id ?? projectId
}

/** Returns the caller's role in a project; undefined without a role, and in a project of another organization. */
export function roleIn(caller: Caller, project: ProjectRow): ProjectRole | undefined {
  if (project.organizationId !== caller.organizationId) return undefined
  return caller.grants.get(project.id) ?? caller.role ?? undefined
}

/**
 * Returns the project that an operation names. @throws ServiceError `NOT_FOUND` for an unknown project and one of
 * another organization, `FORBIDDEN` if the role is too low
 */
export function projectFor(store: Store, caller: Caller, projectId: string, needed: ProjectRole): ProjectRow {
  const project = store.projects.get(projectId)
  const role = project && roleIn(caller, project)
  if (!project || !role) throw new ServiceError('NOT_FOUND', `There is no project ${projectId}.`)
  requireRole(role, needed)
  return project
}

/** Whether a caller may see the secrets in an address. Only callers who may change servers can. */
export function readerOf(caller: Caller, project: ProjectRow): { maySeeUrl: boolean } {
  return { maySeeUrl: isAtLeast(roleIn(caller, project), requiredRole(contract.servers.update)) }
}

/**
 * @param change the part of the operation that needs the role, if not all of it does @throws ServiceError `FORBIDDEN`
 */
export function requireRole(role: ProjectRole | undefined, needed: ProjectRole, change?: string): void {
  if (!isAtLeast(role, needed)) throw new ServiceError('FORBIDDEN', roleSentence(needed, role ?? 'none', change))
}
