import { expect, test } from 'vitest'
import { hangingUp, refusing } from './runs-double.ts'
import { openStage } from './stage.ts'

const RUN = 'GET /projects/p1/journey-runs/jr1'

test('a wave is waited for over a lost connection, after its id is printed', async ending => {
  const { home, service } = await openStage(ending)
  const journeys = ['Weekly', 'Daily'].map((name, at) => ({ id: `j${at + 1}`, name, swarmId: 'w1' }))
  service.answers['GET /projects/p1/journeys'] = () => ({ body: { items: journeys } })
  service.answers['GET /projects/p1/swarms'] = () => ({ body: { items: [{ id: 'w1', name: 'Both' }] } })
  service.answers['POST /projects/p1/journeys/j1/runs'] = () => ({ status: 202, body: { id: 'jr1' } })
  service.answers[RUN] = () => ({ body: { id: 'jr1', status: 'completed' } })
  let faults = 0
  service.fault = (response, path) => {
    if (path !== RUN || faults === 4) return false
    faults += 1
    return hangingUp(response, path)
  }
  const launch = (...args: string[]) => home.run(['launch', ...args, '--yes', '--watch'], { env: service.env })
  const watched = await launch('Weekly')
  expect(watched.stderr).toMatch(/The run continues[^]*The service answers again\.[^]*jr1 is completed/)
  expect(watched).toMatchObject({ code: 0, stdout: expect.stringMatching(/^[-\da-f]{36}\n$/) })

  service.fault = (response, path) => path.endsWith('/j2/runs') && refusing(403, 'FORBIDDEN')(response, path)
  expect(await launch('Both')).toMatchObject({ code: 3, stdout: expect.stringMatching(/^[-\da-f]{36}\n$/) })
})

test('the command stops waiting for a wave after the given time, and the wave continues', async ending => {
  const { home, service } = await openStage(ending)
  const journeys = [{ id: 'j1', name: 'Weekly' }]
  service.answers['GET /projects/p1/journeys'] = () => ({ body: { items: journeys } })
  service.answers['POST /projects/p1/journeys/j1/runs'] = () => ({ status: 202, body: { id: 'jr1' } })
  service.answers[RUN] = () => ({ body: { id: 'jr1', status: 'running' } })
  const launch = (...args: string[]) => home.run(['launch', 'Weekly', '--yes', ...args], { env: service.env })
  const given = await launch('--watch', '--timeout', '100ms', '--json')
  expect(given.stderr).toContain('No end within the time given; what was launched continues')
  expect(given).toMatchObject({ code: 3, stdout: expect.stringContaining('"jr1"') })
  expect(await launch('--timeout', '1s')).toMatchObject({ code: 2, stderr: expect.stringContaining('add --watch') })
})

test('a refusal ends the command at once while it waits for a wave', { timeout: 60_000 }, async ending => {
  const { home, service } = await openStage(ending)
  service.answers['GET /projects/p1/journeys'] = () => ({ body: { items: [{ id: 'j1', name: 'Weekly' }] } })
  service.answers['POST /projects/p1/journeys/j1/runs'] = () => ({ status: 202, body: { id: 'jr1' } })
  service.fault = (response, path) => path === RUN && refusing(403, 'FORBIDDEN')(response, path)
  const launch = ['launch', 'Weekly', '--yes', '--watch', '--timeout', '30m']
  const { ended } = home.start(launch, { env: service.env })
  expect(await ended()).toMatchObject({ code: 3, stderr: expect.stringContaining('jr1') })
})

test('a wave is not launched again while an earlier launch of it may have happened', async ending => {
  const { home, service } = await openStage(ending)
  const journeys = ['Weekly', 'Daily'].map((name, at) => ({ id: `j${at + 1}`, name, swarmId: 'w1' }))
  service.answers['GET /projects/p1/journeys'] = () => ({ body: { items: journeys } })
  service.answers['GET /projects/p1/swarms'] = () => ({ body: { items: [{ id: 'w1', name: 'Both' }] } })
  service.answers['POST /projects/p1/journeys/j1/runs'] = () => ({ status: 202, body: { id: 'jr1' } })
  service.fault = (response, path) => path.endsWith('/j2/runs') && hangingUp(response, path)
  const launch = (...args: string[]) => home.run(['launch', 'Both', '--yes', ...args], { env: service.env })
  const sent = () => service.seen.filter(each => each === 'POST /projects/p1/journeys/j1/runs').length
  const lost = await launch()
  expect(lost).toMatchObject({ code: 3, stderr: expect.stringContaining('1 of 2 journeys were launched; then Daily') })
  expect(sent()).toBe(1)
  const again = await launch()
  expect(again).toMatchObject({ code: 3, stdout: '', stderr: expect.stringContaining('mcpdeck journal dismiss') })
  expect(sent()).toBe(1)
})

test('a finished run counts as done only if each of its finished sessions has a grade', async ending => {
  const { home, service } = await openStage(ending)
  service.answers['GET /projects/p1/journeys'] = () => ({ body: { items: [{ id: 'j1', name: 'Weekly' }] } })
  service.answers['POST /projects/p1/journeys/j1/runs'] = () => ({ status: 202, body: { id: 'jr1' } })
  const ended = async (sessionsGraded: number | undefined) => {
    const run = { id: 'jr1', status: 'completed', summary: { total: 2, succeeded: 2 }, sessionsGraded }
    service.answers[RUN] = () => ({ body: run })
    return await home.run(['launch', 'Weekly', '--yes', '--watch'], { env: service.env })
  }
  expect(await ended(2)).toMatchObject({ code: 0, stderr: expect.not.stringContaining('no grade') })
  expect(await ended(1)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('1 finished session of jr1 has no grade.'),
  })
  for (const graded of [0, undefined])
    expect(await ended(graded)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('2 finished sessions of jr1 have no grade.'),
    })
})
