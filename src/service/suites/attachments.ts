import type * as z from 'zod'
import type { EvalSuiteDetail, EvalSuiteUpdateRequest } from '../../api/contract/suites.ts'
import type { EvalSuiteEnvironmentAttached } from '../../api/contract/suite-extras.ts'
import { findClient } from '../clients/records.ts'
import { requireEnvironment, requireLive } from '../environments/records.ts'
import { requireServers } from '../servers/records.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow, SuiteSettings } from './rows.ts'

type Hosts = NonNullable<z.output<typeof EvalSuiteUpdateRequest>['hosts']>

/** Adds one environment; one that is attached already changes nothing. Runs inside the caller's transaction. */
export function attachEnvironment(store: Store, suite: SuiteRow, environmentId: string): EvalSuiteEnvironmentAttached {
  const before = suite.settings.environmentIds ?? []
  const environmentIds = attachableEnvironments(store, suite, [...before, environmentId])
  const attached = environmentIds.length > before.length
  if (attached) {
    const settings = { ...suite.settings, environmentIds }
    store.suites.update({ ...suite, settings, updatedAt: Date.now() })
  }
  return { suiteId: suite.id, attached, environmentIds }
}

/**
 * The given environments, each once; those that are attached already may have been archived since.
 * @throws ServiceError `NOT_FOUND`, `CONFLICT` with `ENV_ARCHIVED`
 */
export function attachableEnvironments(
  store: Store,
  { projectId, settings }: SuiteRow,
  environmentIds: readonly string[],
): string[] {
  const wanted = [...new Set(environmentIds)]
  for (const id of wanted) {
    const row = requireEnvironment(store, projectId, id)
    if (!settings.environmentIds?.includes(id)) requireLive(row)
  }
  return wanted
}

/** The given clients by id or name, each once, as a suite keeps them. @throws ServiceError `NOT_FOUND` */
export function attachableClients(
  store: Store,
  projectId: string,
  hosts: Hosts,
): NonNullable<SuiteSettings['clients']> {
  const clients = hosts.map(({ host, servers }) => ({
    clientId: findClient(store, projectId, host).id,
    ...(servers && { serverIds: requireServers(store, projectId, servers).map(({ id }) => id) }),
  }))
  return clients.filter(({ clientId }, index) => clients.findIndex(other => other.clientId === clientId) === index)
}

/** A suite's clients as the service answers them. */
export function toSuiteHosts(store: Store, { projectId, settings }: SuiteRow): NonNullable<EvalSuiteDetail['hosts']> {
  return (settings.clients ?? []).flatMap(({ clientId, serverIds }) => {
    const client = store.clients.get(projectId, clientId)
    const servers = serverIds?.flatMap(id => store.servers.get(projectId, id)?.name ?? [])
    return client ? [{ id: client.id, name: client.name, ...(servers && { servers }) }] : []
  })
}
