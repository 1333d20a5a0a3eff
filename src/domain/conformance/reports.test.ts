import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { conformanceReportsAt } from '../../../test/kept-conformance.ts'
import type { ConformanceReport } from './reports.ts'

let file: string
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-conformance-reports-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  file = join(folder, 'conformance.json')
})

const server = { projectId: 'prj_1', serverId: 'srv_1' }
const check = { id: 'ping', description: 'It answers', found: 'nothing', requirements: ['https://example.org/ping'] }
const ping = { name: 'ping', state: 'failed' as const, isExpected: true, durationMs: 3, why: undefined, passed: 1 }
const report: ConformanceReport = { verdict: 'passed', version: '1', scenarios: [{ ...ping, failed: [check] }] }

test('the last run of the suite for each server is available at the next start, to its owner only', () => {
  conformanceReportsAt(file).keep(server, { ...report, verdict: null })
  conformanceReportsAt(file).keep(server, report)
  conformanceReportsAt(file).keep({ ...server, serverId: 'srv_2' }, { ...report, specVersion: '2025-11-25' })
  expect(conformanceReportsAt(file).last(server)).toEqual(report)
  expect(conformanceReportsAt(file).of('prj_1')).toHaveLength(2)
  conformanceReportsAt(file).keep(server, report, 1_000)
  expect(conformanceReportsAt(file).of('prj_1')).toMatchObject([{ serverId: 'srv_1', at: 1_000 }, {}])
  expect(statSync(file).mode & 0o777).toBe(0o600)
})

test('a file with unexpected content has no run, and the next run is saved', () => {
  const kept = (value: unknown) => JSON.stringify({ version: 1, reports: [value] })
  const halves = fc.record({
    verdict: fc.constant(null),
    version: fc.string(),
    scenarios: fc.array(fc.jsonValue(), { minLength: 1 }),
  })
  const entries = halves.map(half => kept({ key: '["prj_1","s"]', at: 1, report: half }))
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.jsonValue().map(kept), entries), text => {
      writeFileSync(file, text)
      const reports = conformanceReportsAt(file)
      expect(reports.of('prj_1')).toEqual([])
      reports.keep(server, report)
      expect(reports.of('prj_1')).toHaveLength(1)
    }),
    { numRuns: 50 },
  )
})
