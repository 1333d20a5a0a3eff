import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { conformanceReportsAt } from '../../../test/kept-conformance.ts'
import { serverConformanceKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const check = {
  id: 'ping-answer',
  description: 'It answers\u001b[2J pings',
  found: 'no answer\u0007',
  requirements: ['https://example.org/spec#ping'],
}
const base = { isExpected: false, durationMs: 1200, passed: 1, failed: [], why: undefined }

test('the last run of the conformance suite shows its verdict, each scenario, and the failures', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-conformance-tab-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const conformanceReports = conformanceReportsAt(join(folder, 'conformance.json'))
  const app = await openApp({
    access: { conformanceReports },
    size: { width: 120, height: 40 },
    place: async client => {
      const projectId = (await client.projects.list()).items[0]!.id
      const first = (await client.servers.list({ projectId })).items[0]!
      conformanceReports.keep(
        { projectId, serverId: first.id },
        {
          verdict: 'failed',
          version: '0.1.16',
          specVersion: '2025-11-25',
          scenarios: [
            { ...base, name: 'tools-list', state: 'passed' },
            { ...base, name: 'ping', state: 'failed', failed: [check] },
            { ...base, name: 'dns', state: 'not applicable', why: 'it judges HTTP' },
          ],
        },
      )
      return serversRoute.to({ projectId, serverId: first.id, pane: 'detail', tab: 'conformance' })
    },
  })
  const shown = await app.see('Verdict')
  expect(shown).toMatch(/Verdict +failed/)
  expect(shown).toMatch(/Passed +1 of 3 scenarios/)
  expect(shown).toMatch(/Suite +0\.1\.16/)
  expect(shown).toMatch(/✓ tools-list +1\.2s/)
  expect(shown).toMatch(/✗ ping +1\.2s/)
  expect(shown).toContain('found: no answer')
  expect(shown).toContain('required by: https://example.org/spec#ping')
  expect(shown).toMatch(/○ dns +it judges HTTP/)
  expect(shown).not.toContain('\u001b[2J')
  await app.close()
})

test('a server that was not tested offers to copy the command that tests it', async () => {
  const app = await openApp({
    place: async client => {
      const projectId = (await client.projects.list()).items[0]!.id
      const serverId = (await client.servers.list({ projectId })).items[0]!.id
      return serversRoute.to({ projectId, serverId, pane: 'detail', tab: 'conformance' })
    },
  })
  await app.see('was not tested by')
  await app.press(serverConformanceKeys.bindings.copyAs)
  await app.see('Copied the command.')
  expect(app.copied.at(-1)).toMatch(/^mcpdeck conformance --local --project prj_\w+ everything$/)
  await app.close()
})
