import { expect, test } from 'vitest'
import { openStage } from './stage.ts'

test.concurrent('a delete that a service answers without a body succeeds', async ending => {
  const { home, service } = await openStage(ending)
  const run = (...args: string[]) => home.run(args, { env: service.env })
  service.answers['GET /projects/p1/swarms'] = () => ({
    body: { items: [{ id: 'w1', projectId: 'p1', name: 'Flow' }] },
  })
  service.answers['GET /projects/p1/swarms/w1'] = () => ({ body: { id: 'w1', projectId: 'p1', name: 'Flow' } })
  const deleted = ['eval-suites/s1', 'swarms/w1']
  for (const path of deleted) service.answers[`DELETE /projects/p1/${path}`] = () => ({ status: 204, body: undefined })
  expect(await run('delete', 'suite', 'Smoke', '--yes')).toMatchObject({ code: 0 })
  expect(await run('delete', 'swarm', 'Flow', '--yes')).toMatchObject({ code: 0 })
  expect(await run('api', 'delete', '/projects/p1/eval-suites/s1', '--yes')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^\{\}\n?$/),
  })
  expect(service.seen.filter(path => path.startsWith('DELETE'))).toHaveLength(3)
  const open = await run('journal', '--json')
  expect(JSON.parse(open.stdout)).toEqual({ items: [] })
})

test.concurrent('a run that disappears while it is watched ends the command, with what was read', async ending => {
  const { service, conclusionOf } = await openStage(ending)
  service.put('r1', { status: 'running' })
  service.onAnswered = path => {
    if (path.endsWith('/iterations')) service.runs.delete('r1')
  }
  const { code, end, stderr } = await conclusionOf('r1')
  expect(code).toBe(3)
  expect(end).toMatchObject({ run: { status: 'running' }, verdict: null, because: 'refused', error: { status: 404 } })
  expect(stderr).toContain('Not found')
})
