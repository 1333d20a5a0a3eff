import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { storedAt } from '../../../test/stored-file.ts'
import type { ExaminedReport } from './findings.ts'
import { createDoctorReports, doctorReportsKey } from './reports.ts'

let file: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-reports-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  file = join(folder, 'doctor.json')
})

const openAt = (at: number) =>
  createDoctorReports({ stored: storedAt(file, doctorReportsKey), clock: { now: () => at } })
const server = { projectId: 'prj_1', serverId: 'srv_1' }

const report: ExaminedReport = {
  generatedAt: '2026-01-01T00:00:00Z',
  status: 'ready',
  connection: { status: 'connected', detail: 'Connected.' },
  initInfo: { protocolVersion: '2025-11-25', serverInfo: { name: 'small', version: '1' }, instructions: 'x' },
  capabilities: { tools: { listChanged: true } },
  tools: [{ name: 'echo', inputSchema: { type: 'object' } }],
  checks: { tools: { status: 'ok', detail: 'Authorization: Bearer abcdefghijklmnop1234', durationMs: 3 } },
  error: null,
  findings: [{ kind: 'wrong', text: 'The tool name "a b" has other characters' }],
}

test('the last report of each server is available at the next start, with its time, to its owner only', () => {
  openAt(1_000).keep(server, report)
  openAt(2_000).keep({ ...server, serverId: 'srv_2' }, report)
  openAt(3_000).keep(server, { ...report, status: 'partial' })
  openAt(4_000).keep({ projectId: 'prj_2', serverId: 'srv_1' }, report)
  const kept = openAt(5_000).of('prj_1')
  expect(kept.map(({ serverId, at, report: { status } }) => [serverId, at, status])).toEqual([
    ['srv_1', 3_000, 'partial'],
    ['srv_2', 2_000, 'ready'],
  ])
  expect(kept[1]!.report.findings).toEqual(report.findings)
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('listings and secrets are not stored', () => {
  openAt(1).keep(server, report)
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain('abcdefghijklmnop1234')
  expect(text).not.toContain('inputSchema')
})

test('the report of a changed server is removed', () => {
  const reports = openAt(1)
  reports.keep(server, report)
  reports.forget(server)
  expect(reports.of('prj_1')).toEqual([])
})

test('a file with unexpected content has no report, and the next report is saved', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.json(),
        fc.jsonValue().map(value => JSON.stringify({ version: 1, reports: [value] })),
      ),
      text => {
        writeFileSync(file, text)
        const reports = openAt(1)
        expect(reports.of('prj_1')).toEqual([])
        reports.keep(server, report)
        expect(reports.of('prj_1')).toHaveLength(1)
      },
    ),
    { numRuns: 50 },
  )
})
