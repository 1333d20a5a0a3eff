import type { Clock } from '../../lib/clock.ts'
import type { ProfileKey, Stored } from '../../lib/files/profile-store.ts'

type Server = { projectId: string; serverId: string }
/** A stored report. `key` names the project and the server; `at` is in epoch milliseconds of this machine. */
export type KeptReport<T> = { key: string; at: number; report: T }

/** The last report of one kind on each server, stored for the next start. */
export type KeptReports<T> = {
  /** Returns the stored reports of a project's servers. `at` is in epoch milliseconds of this machine. */
  of(projectId: string): { serverId: string; at: number; report: T }[]
  last(server: Server): T | undefined
  /**
   * Stores a report.
   * @param at when the examination began, if the server may have changed since; by default now
   */
  keep(server: Server, report: T, at?: number): void
  forget(server: Server): void
}

/** Returns the file format of such reports. Other values are left out. */
export function keptReportsKey<T>(
  name: string,
  isReport: (value: unknown) => boolean,
): ProfileKey<readonly KeptReport<T>[]> {
  const isKept = (value: unknown): value is KeptReport<T> => {
    const { key, at, report } = Object(value) as Record<string, unknown>
    return typeof key === 'string' && typeof at === 'number' && isKey(key) && isReport(report)
  }
  return {
    name,
    version: 1,
    empty: [],
    read: ({ reports }) => (Array.isArray(reports) ? reports.filter(isKept) : undefined),
    write: reports => ({ reports }),
  }
}

/**
 * Creates the storage of reports.
 * @param most maximum number of servers; oldest reports are removed first
 * @param shortened reduces a report to what is stored
 */
export function createKeptReports<T>({
  stored,
  clock,
  most,
  shortened,
}: {
  stored: Stored<readonly KeptReport<T>[]>
  clock: Pick<Clock, 'now'>
  most: number
  shortened: (report: T) => T
}): KeptReports<T> {
  const latest = (): readonly KeptReport<T>[] => {
    stored.refresh()
    return stored.get()
  }
  return {
    of: projectId =>
      latest().flatMap(({ key, at, report }) => {
        const [project, serverId] = JSON.parse(key) as [string, string]
        return project === projectId ? [{ serverId, at, report }] : []
      }),
    last: server => latest().find(({ key }) => key === keyOf(server))?.report,
    keep(server, report, at = clock.now()) {
      const key = keyOf(server)
      const fresh = { key, at, report: shortened(report) }
      stored.change(before => [fresh, ...before.filter(each => each.key !== key)].slice(0, most))
    },
    forget(server) {
      const key = keyOf(server)
      if (latest().some(each => each.key === key)) stored.change(before => before.filter(each => each.key !== key))
    },
  }
}

function keyOf({ projectId, serverId }: Server): string {
  return JSON.stringify([projectId, serverId])
}

function isKey(key: string): boolean {
  try {
    const parts = JSON.parse(key) as unknown
    return Array.isArray(parts) && parts.length === 2 && parts.every(part => typeof part === 'string')
  } catch {
    return false
  }
}
