import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import type { NowSummary } from '../../src/domain/now/summary.ts'
import { until } from '../service/harness.ts'
import { openHome } from './program.ts'
import { openStage } from './stage.ts'

test('mcpdeck now ends with 1 for a failure, with 3 if not all is known, and a watch by its signal', async ending => {
  const { home, service } = await openStage(ending)
  const now = async (...args: string[]) => await home.run(['now', ...args, '--timeout', '60s'], { env: service.env })
  // This service answers no capabilities, waves and scenarios.
  const unknown = await now()
  expect(unknown).toMatchObject({ code: 3, stdout: '' })
  expect(unknown.stderr).toContain('not everything was read')

  home.rest()
  const failed = { id: 'r1', suiteId: 's1', status: 'completed', result: 'failed', runNumber: 7, createdAt: Date.now() }
  service.put('r1', failed)
  service.suites = [{ id: 's1', name: 'Smoke', latestRun: { id: 'r1', status: 'completed', failed: 1 } }]
  const red = await now('--json', '--project', 'One')
  const summary = JSON.parse(red.stdout) as NowSummary
  expect(red.code).toBe(1)
  expect(summary).toMatchObject({ version: 1, state: 'red', counts: { red: 1 }, read: { projects: 1, whole: false } })
  expect(summary.items[0]).toMatchObject({ red: true, says: expect.stringContaining('Smoke #7 failed') })
  expect(service.seen.every(request => request.startsWith('GET '))).toBe(true)

  home.rest()
  // The suite's record of its run arrives before the run.
  const held = Promise.withResolvers<ServerResponse>()
  service.fault = (response, path) => {
    if (path !== 'GET /projects/p1/eval-suites/s1/runs') return false
    held.resolve(response)
    return true
  }
  const watch = home.start(['now', '--watch'], { env: service.env })
  const reported = (line: string) => until(watch.output, output => output.includes(line))
  await reported('run not read: Smoke: 1 failed')
  const answer = await held.promise
  answer.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify([failed]))
  await reported('changed high, red run failed: Smoke #7 failed')
  watch.child.kill('SIGINT')
  expect((await watch.ended()).code).toBe(130)
})

test('the first start of a local workspace is reported with its samples', async ending => {
  const home = await openHome()
  ending.onTestFinished(() => home.close())
  const first = await home.run(['now', '--json'])
  const summary = JSON.parse(first.stdout) as NowSummary
  expect(first.code).toBe(1)
  expect(summary.state).toBe('red')
  const again = JSON.parse((await home.run(['now', '--json'])).stdout) as NowSummary
  expect(summary.items.map(({ key }) => key)).toEqual(again.items.map(({ key }) => key))
})

test('a service that never answers does not block mcpdeck now, with or without named projects', async ending => {
  const { home, service } = await openStage(ending)
  service.fault = () => true
  const now = (...args: string[]) => home.start(['now', ...args], { env: service.env })
  const [whole, named] = [now('--json', '--timeout', '5s'), now('--project', 'One', '--timeout', '1s')]
  const left = await whole.ended()
  expect(left.code).toBe(3)
  expect(JSON.parse(left.stdout)).toMatchObject({ state: 'unknown', read: { projects: null, reading: 1 } })
  expect(await named.ended()).toMatchObject({
    code: 3,
    stdout: '',
    stderr: 'Nothing was read within the time given.\n',
  })
})
