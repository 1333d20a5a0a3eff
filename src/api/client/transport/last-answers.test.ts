import { expect, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient } from '../client.ts'

const run = (id: string, summary?: object) => ({ id, suiteId: 's', status: 'running', createdAt: 1, summary })

function clientOf(answer: (request: Request, nth: number) => Response) {
  let asked = 0
  return createClient({
    baseUrl: 'http://service.test/api/v1',
    budget: createBudget({ unlimited: true }),
    fetch: overWeb(request => answer(request, (asked += 1))),
  })
}

test('a read that gets the same text returns the same object, and any other text returns a new one', async () => {
  const client = clientOf((_request, nth) => Response.json(run('r', { total: nth < 3 ? 1 : 2 })))
  const get = () => client.runs.get({ projectId: 'p', runId: 'r' })
  const [first, second, third] = [await get(), await get(), await get()]
  expect(second).toBe(first)
  expect(third).not.toBe(first)
  expect(third.summary).toMatchObject({ total: 2 })
})

test('the same text from another address, or from the same write, returns a separate object', async () => {
  const client = clientOf(request => Response.json(request.method === 'GET' ? run('r') : { id: 'n', name: 'n' }))
  const one = await client.runs.get({ projectId: 'p', runId: 'one' })
  expect(await client.runs.get({ projectId: 'p', runId: 'two' })).not.toBe(one)
  const make = () => client.projects.create({ body: { name: 'n' } })
  expect(await make()).not.toBe(await make())
})

test('an invalid answer is refused each time it arrives', async () => {
  const client = clientOf(() => Response.json({ id: 7 }))
  const get = () => client.runs.get({ projectId: 'p', runId: 'r' })
  await expect(get()).rejects.toMatchObject({ code: 'mismatch' })
  await expect(get()).rejects.toMatchObject({ code: 'mismatch' })
})

test('if the cache is full, the answer requested longest ago is dropped', async () => {
  const filler = 'x'.repeat(400_000)
  const client = clientOf(() => Response.json({ ...run('r'), filler }))
  const get = (runId: string) => client.runs.get({ projectId: 'p', runId })
  await get('1')
  await get('2')
  const [one, two] = [await get('1'), await get('2')]
  expect(await get('1')).toBe(one)
  await get('3')
  await get('3')
  expect(await get('1')).toBe(one)
  expect(await get('2')).not.toBe(two)
})

test('the answers of fifty projects read in turn stay cached, although they exceed a megabyte', async () => {
  const client = clientOf(() => Response.json({ items: [], filler: 'x'.repeat(40_000) }))
  const get = async () =>
    await Promise.all(Array.from({ length: 51 }, (_, index) => client.suites.list({ projectId: `p${index}` })))
  const [first, second] = [await get(), await get()]
  expect(second.every((value, index) => value === first[index])).toBe(true)
})

test('a long answer is cached from the second time on', async () => {
  const client = clientOf(() => Response.json({ ...run('r'), filler: 'x'.repeat(60_000) }))
  const get = () => client.runs.get({ projectId: 'p', runId: 'r' })
  const [first, second, third] = [await get(), await get(), await get()]
  expect(second).not.toBe(first)
  expect(third).toBe(second)
})

test('a cursor in a header counts as part of the answer', async () => {
  const client = clientOf((_request, nth) =>
    Response.json({ resourceSpans: [] }, { headers: { 'x-mcpjam-next-cursor': nth < 3 ? 'a' : 'b' } }),
  )
  const list = () => client.traceExports.otlp({ projectId: 'p' })
  const [first, second, third] = [await list(), await list(), await list()]
  expect(second).toBe(first)
  expect([first, third]).toMatchObject([{ nextCursor: 'a' }, { nextCursor: 'b' }])
})
