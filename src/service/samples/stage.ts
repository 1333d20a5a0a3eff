import { resolveEnvironment, type Resolution } from '../environments/environments.ts'
import { ServiceError } from '../core/errors.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import type { SampleKind } from './rows.ts'
import type { ServerRow } from '../servers/rows.ts'
import type { Store } from '../core/database/store.ts'

/** The project and server for which samples are inserted. */
export type Stage = {
  store: Store
  project: ProjectRow
  server: ServerRow
  /** Returns the time at this hour (UTC) this number of days ago, in epoch milliseconds. */
  at(daysAgo: number, hours: number): number
  mark(kind: SampleKind, record: { id: string }): void
}

const HOUR_MS = 60 * 60 * 1000
const DAY_MS = 24 * HOUR_MS

/**
 * Returns the reference server with its project.
 * @throws ServiceError `NOT_FOUND` without it
 */
export function stageOf(store: Store, now: number): Stage {
  const server = store.servers.find(store.settings.get('referenceServerId') ?? '')
  const project = server && store.projects.get(server.projectId)
  if (!project)
    throw new ServiceError(
      'NOT_FOUND',
      'The reference server of the Sandbox was deleted, and the samples are about it.',
    )
  const midnight = now - (now % DAY_MS)
  return {
    store,
    project,
    server,
    at: (daysAgo, hours) => midnight - daysAgo * DAY_MS + hours * HOUR_MS,
    mark: (kind, { id }) => store.samples.insert({ kind, recordId: id, projectId: project.id }),
  }
}

/** Returns the environment that all samples use. @throws ServiceError if it can no longer be used */
export function environmentOf({ store, project }: Stage): Resolution {
  const sample = store.samples.list().find(({ kind }) => kind === 'environment')
  return resolveEnvironment(store, store.environments.require(project.id, sample?.id ?? ''))
}

/** Returns a name that is not used. Earlier samples that were kept may use it. */
export function freeName(name: string, isTaken: (name: string) => boolean): string {
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? name : `${name} (${number})`
    if (!isTaken(candidate)) return candidate
  }
}
