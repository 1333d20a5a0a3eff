import type { Stored } from '../../lib/files/profile-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { DoctorReport } from '../../api/contract/server-operations.ts'
import { cleanStart, withoutSecrets } from '../../lib/redaction/redaction.ts'
import type { DoctorFinding, ExaminedReport } from './findings.ts'
import { createKeptReports, keptReportsKey, type KeptReport, type KeptReports } from './kept-reports.ts'

/** Stores the doctor's last report on each server that was examined from here. */
export type DoctorReports = KeptReports<ExaminedReport>

const MOST_TEXT = BOUNDS.doctorText.most
const MOST_ENTRIES = BOUNDS.doctorEntries.most

export const doctorReportsKey = keptReportsKey<ExaminedReport>('doctor', isExamined)

export function createDoctorReports(given: {
  stored: Stored<readonly KeptReport<ExaminedReport>[]>
  clock: Pick<Clock, 'now'>
}): DoctorReports {
  return createKeptReports({ ...given, most: BOUNDS.doctorReports.most, shortened })
}

function isExamined(report: unknown): boolean {
  const { findings, since, toolTokens } = Object(report) as Record<string, unknown>
  if (!(since === undefined || isSince(since)) || !['undefined', 'number'].includes(typeof toolTokens)) return false
  return Array.isArray(findings) && findings.every(isFinding) && DoctorReport().safeParse(report).success
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
 * Returns the part of a report that the screen shows, without its listings. Texts are the server's, so secrets in them
 * are removed.
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
  return cleanStart(text, MOST_TEXT, withoutSecrets)
}

function textsOf(record: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap(name => {
      const value = record[name]
      return typeof value === 'string' ? [[name, cut(value)]] : []
    }),
  )
}
