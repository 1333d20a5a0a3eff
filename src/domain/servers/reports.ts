import type { ProfileKey, Stored } from '../../lib/files/profile-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { DoctorReport } from '../../api/contract/server-operations.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import type { DoctorFinding, ExaminedReport } from './findings.ts'

type Server = { projectId: string; serverId: string }
/** `key` names the project and the server. */
export type StoredReport = { key: string; at: number; report: ExaminedReport }

/** The doctor's last report on each server that was examined from here, kept for the next start. */
export type DoctorReports = {
  /** What is kept of a project's servers; `at` in epoch milliseconds of this machine. */
  of(projectId: string): { serverId: string; at: number; report: ExaminedReport }[]
  last(server: Server): ExaminedReport | undefined
  keep(server: Server, report: ExaminedReport): void
  forget(server: Server): void
}

/** Most servers; those examined longest ago go first. */
const MOST_SERVERS = BOUNDS.doctorReports.most
const MOST_TEXT = BOUNDS.doctorText.most
const MOST_ENTRIES = BOUNDS.doctorEntries.most

export const doctorReportsKey: ProfileKey<readonly StoredReport[]> = {
  name: 'doctor',
  version: 1,
  empty: [],
  read: ({ reports }) => (Array.isArray(reports) ? reports.filter(isStored) : undefined),
  write: reports => ({ reports }),
}

export function createDoctorReports({
  stored,
  clock,
}: {
  stored: Stored<readonly StoredReport[]>
  clock: Pick<Clock, 'now'>
}): DoctorReports {
  const latest = (): readonly StoredReport[] => {
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
    keep(server, report) {
      const key = keyOf(server)
      const fresh = { key, at: clock.now(), report: shortened(report) }
      stored.change(before => [fresh, ...before.filter(each => each.key !== key)].slice(0, MOST_SERVERS))
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

function isStored(value: unknown): value is StoredReport {
  const { key, at, report } = Object(value) as Record<string, unknown>
  if (typeof key !== 'string' || typeof at !== 'number' || !isKey(key)) return false
  const { findings, since, toolTokens } = Object(report) as Record<string, unknown>
  if (!(since === undefined || isSince(since)) || !['undefined', 'number'].includes(typeof toolTokens)) return false
  return Array.isArray(findings) && findings.every(isFinding) && DoctorReport().safeParse(report).success
}

function isKey(key: string): boolean {
  try {
    const parts = JSON.parse(key) as unknown
    return Array.isArray(parts) && parts.length === 2 && parts.every(part => typeof part === 'string')
  } catch {
    return false
  }
}

function isSince(value: unknown): boolean {
  const { generatedAt, fresh, gone } = Object(value) as Record<string, unknown>
  const isTexts = (list: unknown) => Array.isArray(list) && list.every(text => typeof text === 'string')
  return (typeof generatedAt === 'string' || typeof generatedAt === 'number') && isTexts(fresh) && isTexts(gone)
}

function isFinding(value: unknown): value is DoctorFinding {
  const { kind, text, rule, place, advice } = Object(value) as Record<string, unknown>
  const isText = (field: unknown) => field === undefined || typeof field === 'string'
  const isKind = kind === 'wrong' || kind === 'advice' || kind === 'unchecked'
  return isKind && typeof text === 'string' && [rule, place, advice].every(isText)
}

/**
 * What the screen shows of a report, without its listings; texts are the server's, so secrets in them are blanked out.
 */
function shortened(report: ExaminedReport): ExaminedReport {
  const { generatedAt, status, connection, initInfo, capabilities, checks, error, findings, since, toolTokens } = report
  const server = Object(initInfo?.['serverInfo']) as Record<string, unknown>
  return {
    generatedAt,
    status,
    connection: { status: connection.status, detail: cut(connection.detail) },
    initInfo: initInfo && {
      ...textsOf(initInfo, ['protocolVersion', 'instructions']),
      serverInfo: textsOf(server, ['name', 'title', 'version']),
    },
    capabilities: capabilities && Object.fromEntries(first(Object.keys(capabilities)).map(name => [cut(name), {}])),
    checks: Object.fromEntries(
      first(Object.entries(checks)).map(([name, check]) => [
        cut(name),
        check && { status: check.status, detail: cut(check.detail), durationMs: check.durationMs },
      ]),
    ),
    error: error && { code: error.code, message: cut(error.message) },
    findings: first(findings).map(({ kind, text, rule, place, advice }) => ({
      kind,
      text: cut(text),
      rule,
      place: place === undefined ? undefined : cut(place),
      advice,
    })),
    toolTokens,
    since: since && { ...since, fresh: first(since.fresh).map(cut), gone: first(since.gone).map(cut) },
  }
}

function first<T>(items: readonly T[]): T[] {
  return items.slice(0, MOST_ENTRIES)
}

function cut(text: string): string {
  return withoutSecrets(text.slice(0, 2 * MOST_TEXT)).slice(0, MOST_TEXT)
}

function textsOf(record: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = record[name]
      return typeof value === 'string' ? [[name, cut(value)]] : []
    }),
  )
}
