import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { openApp, openService } from '../../../test/harness.tsx'
import { storedAt } from '../../../test/stored-file.ts'
import { createDoctorReports, doctorReportsKey } from '../../domain/servers/reports.ts'
import { createDoctorSteps } from '../../domain/servers/steps.ts'
import { storedInMemory } from '../../lib/files/profile-store.ts'
import { serversKeys } from './bindings.ts'
import { serversRoute } from './route.ts'

const small = fileURLToPath(new URL('../../../test/servers/stdio-server.mjs', import.meta.url))
const keys = serversKeys.bindings

test('a server with a known error is not called ready, and its report is kept after the session', async () => {
  const steps = createDoctorSteps()
  const reported = await openService({ onDoctorStep: steps.note })
  onTestFinished(() => reported.close())
  const folder = await mkdtemp(join(tmpdir(), 'mcpdeck-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = join(folder, 'doctor.json')
  const reports = (now: () => number) =>
    createDoctorReports({ stored: storedAt(file, doctorReportsKey), clock: { now } })
  const sandbox = (await reported.client.projects.list()).items[0]!.id
  const program = { command: process.execPath, args: [small, 'careless', '3100'] }
  const body = { name: 'careless', enabled: true, transportType: 'stdio' as const, ...program }
  const { id } = await reported.client.servers.create({ projectId: sandbox, body })
  const params = { projectId: sandbox, serverId: id, pane: 'detail', tab: 'doctor' }
  const place = serversRoute.to(params)
  const threeHoursAgo = () => Date.now() - 3 * 3_600_000
  const access = { doctorSteps: steps, doctorReports: reports(threeHoursAgo) }
  let app = await openApp({ testService: reported, place, access })
  await app.see('No doctor report on careless yet.')
  await app.press(keys.doctor)
  // The listing takes seconds, so earlier steps are shown before it ends.
  const running = await app.see(/✓ initialization +ok/)
  expect(running).toMatch(/● tools/)
  expect(running).toContain('○ prompts')
  const report = await app.see('! warnings')
  expect(report).toMatch(/Listing its tools takes 3\.\d s/)
  expect(report).toContain('The tool name "not a name!"')
  expect(report).not.toContain('✓ ready')
  await app.close()
  app = await openApp({
    testService: reported,
    place: serversRoute.to({ projectId: sandbox, serverId: id }),
    access: { doctorReports: reports(Date.now) },
  })
  expect(await app.see('! warnings')).toMatch(/careless.*! warnings 3h/)
  await app.close()
})

test('that there is no report is as old as the failure, not as the report before it', async () => {
  let isRefused = false
  const testService = await openService({
    wrap: fetch => async request =>
      isRefused && new URL(request.url).pathname.endsWith('/doctor')
        ? Response.json({ code: 'FORBIDDEN', message: 'No.' }, { status: 403 })
        : await fetch(request),
  })
  onTestFinished(() => testService.close())
  const { client } = testService
  const projectId = (await client.projects.list()).items[0]!.id
  const [server] = (await client.servers.list({ projectId })).items
  const input = { projectId, serverId: server!.id }
  const reports = createDoctorReports({
    stored: storedInMemory(doctorReportsKey),
    clock: { now: () => Date.now() - 3 * 3_600_000 },
  })
  reports.keep(input, { ...(await client.servers.doctor(input)), findings: [] })
  const app = await openApp({ testService, place: serversRoute.to(input), access: { doctorReports: reports } })
  await app.see(/everything.* 3h/)
  isRefused = true
  await app.press(keys.doctor)
  await app.see('✗ no report')
  app.router.replace({ tab: 'overview' })
  await app.see('no report, just now')
  await app.close()
})
