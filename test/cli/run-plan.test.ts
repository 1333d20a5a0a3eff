import { expect, test } from 'vitest'
import { trial } from './runs-double.ts'
import { openStage } from './stage.ts'

test('a plan lists cases that check nothing, and cases that name unknown models or tools', async ending => {
  const { home, service } = await openStage(ending)
  const run = () => home.run(['run', 'Smoke'], { env: service.env })
  const call = { id: 'c', kind: 'toolCall', serverName: 'everything', toolName: 'ad', arguments: {} }
  const items = [
    { id: 'c1', title: 'One', steps: [call] },
    { id: 'c2', title: 'Two', steps: [{ id: 'p', kind: 'prompt', prompt: 'hi' }], models: [{ model: 'old' }] },
  ]
  service.suites = [{ id: 's1', name: 'Smoke', environment: { servers: ['everything'] } }]
  service.answers['GET /projects/p1/eval-suites/s1/cases'] = () => ({ body: { items } })
  service.answers['GET /models'] = () => ({ body: { items: [{ id: 'new' }] } })
  const { stderr } = await run()
  expect(stderr).toContain('Warning: One: It checks nothing, so it passes whatever its tools and models answer.')
  expect(stderr).toContain('Warning: Two: The service lists no model "old", and may refuse to run it.')
  expect(stderr).not.toContain('no tool "ad"')
  service.put('r0', { status: 'completed', result: 'passed' })
  service.trials = [trial('a')]
  const toolsSeen = [{ serverName: 'everything', tools: [{ name: 'add', inputSchema: {} }] }]
  service.answers['GET /projects/p1/eval-runs/r0/iterations/a/trace'] = () => ({ body: { toolsSeen } })
  const again = await run()
  expect(again.stderr).toContain('Warning: One: "everything" has no tool "ad". Did you mean "add"?')
  expect(again.stderr).toContain('Tools are taken as the last passed run of the suite saw them.')
})
