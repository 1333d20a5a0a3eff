import { jsonText } from '../../lib/printable.ts'
import { join } from 'node:path'
import { signalExitCode } from '../../tui/terminal/ending-signals.ts'
import { ServiceError } from '../../service/core/errors.ts'
import {
  listKeys as keysOf,
  makeKey,
  orphanKey as orphan,
  revokeKey as revoke,
  type KeyRights,
  type KeySummary,
} from '../../service/core/access.ts'
import { PROJECT_ROLES, type ProjectRole } from '../../api/contract/endpoint.ts'
import type { Store } from '../../service/core/database/store.ts'
import { collectYoungAlone } from '../../service/runs/thread/priority.ts'
import { EXIT } from '../process/exit-codes.ts'
import { createLog } from '../output/log.ts'
import { modelSettings } from '../config/model-settings.ts'
import { localSettings, UsageError, type CommonOptions } from '../config/settings.ts'
import { serve, ServeError, type ServeOptions } from './serve.ts'
import { printItems } from '../output/print-items.ts'
import { withStore } from './serve-settings.ts'
import { writeForOwner } from '../../lib/files/write-atomically.ts'

/** Options of the `serve` command; `--request-log` may have no value. */
export type ServeCommandOptions = Omit<ServeOptions, 'dataDir' | 'faults' | 'models' | 'log' | 'requestLog'> & {
  fault: string[]
  requestLog?: string | true
}

/** Serves until it is stopped: SIGTERM and Ctrl+C are a normal end, other signals exit with 128 plus their number. */
export async function runServe(common: CommonOptions, own: ServeCommandOptions): Promise<number> {
  const { dataDir, logFile, port } = localSettings(common, process.env)
  const models = modelSettings(process.env)
  const { fault, requestLog, ...rest } = own
  const noted = requestLog === true ? '-' : requestLog
  collectYoungAlone()
  try {
    const ending = await serve({
      port,
      ...rest,
      dataDir,
      models,
      faults: fault,
      log: createLog(logFile),
      ...(noted !== undefined && { requestLog: noted }),
    })
    const isOrdinary = ending === undefined || ending === 'SIGTERM' || ending === 'SIGINT'
    return isOrdinary ? EXIT.done : signalExitCode(ending)
  } catch (error) {
    if (error instanceof ServeError) throw new UsageError(error.message)
    throw error
  }
}

/** Permissions of a new key. */
export type KeyOptions = { role?: string; grant: readonly string[]; json?: boolean }

/** Creates a key and prints the path of its file; the key itself is never printed. */
export function createKey(common: CommonOptions, name: string, own: KeyOptions): number {
  const grants = Object.fromEntries(own.grant.map(parseGrant))
  // A key with grants has no other access unless a role is given.
  const role = own.role ?? (own.grant.length > 0 ? undefined : 'admin')
  const rights = { ...(role !== undefined && { role: roleNamed(role) }), grants }
  return withStore(common, ({ store, dataDir }) => {
    const { key, summary } = makeGrantedKey(store, name, rights)
    const file = join(dataDir, `${summary.id}.key`)
    writeForOwner(file, `${key}\n`, { flush: true })
    process.stdout.write(
      own.json
        ? `${jsonText({ ...summary, keyFile: file })}\n`
        : `${summary.id} ${summary.role ?? 'per project'} ${file}\n`,
    )
    return EXIT.done
  })
}

function makeGrantedKey(store: Store, name: string, rights: KeyRights) {
  try {
    return makeKey(store, name, rights)
  } catch (error) {
    if (error instanceof ServiceError) throw new UsageError(error.message)
    throw error
  }
}

function parseGrant(text: string): [string, ProjectRole] {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`"${text}" grants nothing; write --grant project=role.`)
  return [text.slice(0, at), roleNamed(text.slice(at + 1))]
}

function roleNamed(name: string): ProjectRole {
  const role = PROJECT_ROLES.find(known => known === name)
  if (!role) throw new UsageError(`There is no role "${name}"; roles are ${PROJECT_ROLES.join(', ')}.`)
  return role
}

/** Lists every key with its organization, its role and its grants; the keys themselves are not stored. */
export function listKeys(common: CommonOptions, json: boolean | undefined): number {
  return withStore(common, ({ store }) => {
    printItems(
      keysOf(store).map(key => ({ ...key, state: stateOf(key) })),
      json,
      ({ id, prefix, role, grants, state, organizationId, name }) => [
        id,
        `${prefix}…`,
        state,
        organizationId ?? '-',
        role ?? 'per project',
        Object.entries(grants)
          .map(([projectId, granted]) => `${projectId}=${granted}`)
          .join(',') || '-',
        name,
      ],
    )
    return EXIT.done
  })
}

function stateOf({ revokedAt, organizationId }: KeySummary): 'active' | 'revoked' | 'orphaned' {
  if (revokedAt !== null) return 'revoked'
  return organizationId === null ? 'orphaned' : 'active'
}

export function revokeKey(common: CommonOptions, id: string): number {
  return changeKey(common, id, revoke, 'revoked')
}

/** Removes a key's organization, as if the organization had been deleted. */
export function orphanKey(common: CommonOptions, id: string): number {
  return changeKey(common, id, orphan, 'orphaned')
}

function changeKey(
  common: CommonOptions,
  id: string,
  change: (store: Store, id: string) => boolean,
  done: string,
): number {
  return withStore(common, ({ store }) => {
    if (!change(store, id))
      throw new UsageError(`There is no key ${id} that could be ${done}; see mcpdeck serve key list.`)
    process.stdout.write(`${id} ${done}\n`)
    return EXIT.done
  })
}
