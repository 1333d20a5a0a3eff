import { describe, expect, test } from 'vitest'
import { overWeb } from '../../../../test/web.ts'
import { createBudget } from '../budget/budget.ts'
import { createClient, type CallOptions } from '../client.ts'
import { announcedVocabulary } from './vocabulary.ts'

describe('the announcement of a deployment', () => {
  test.each([
    [{}, '1'],
    [{ evalVocabulary: { version: 2 } }, '2'],
    [{ eval: { vocabularies: ['1', '2'] } }, '2'],
    [{ evalVocabulary: 1 }, '1'],
    [{ version: 2 }, '1'],
    [null, '1'],
  ])('%j selects %s', (capabilities, version) => {
    expect(announcedVocabulary(capabilities)).toBe(version)
  })
})

/** A service whose capabilities are answered in the given order, and each list of runs with its vocabulary header. */
function service(capabilities: (Response | Error | Promise<Response>)[]) {
  const asked: string[] = []
  const headers: (string | null)[] = []
  const client = createClient({
    baseUrl: 'http://x.test/api/v1',
    key: 'sk_test',
    budget: createBudget({ unlimited: true }),
    negotiate: 'mcpjam',
    retry: { attempts: 1 },
    fetch: overWeb(async request => {
      const { pathname } = new URL(request.url)
      asked.push(pathname)
      if (!pathname.endsWith('/capabilities')) {
        headers.push(request.headers.get('x-mcpjam-eval-vocabulary'))
        return Response.json([])
      }
      const next = capabilities.shift()
      if (!next || next instanceof Error) throw next ?? new Error('asked too often')
      return next
    }),
  })
  const list = (call?: CallOptions) => client.runs.list({ projectId: 'p', suiteId: 's' }, call)
  return { asked, headers, list, client }
}

describe('negotiation', () => {
  test('asks once, then uses the announced vocabulary where answers depend on it', async () => {
    const { asked, headers, list, client } = service([Response.json({ evalVocabulary: { version: 2 } })])
    await Promise.all([list(), list()])
    await client.runs.get({ projectId: 'p', runId: 'r' }).catch(() => undefined)
    expect(headers).toEqual(['2', '2', null])
    expect(asked.filter(path => path.endsWith('/capabilities'))).toHaveLength(1)
  })

  test('an aborted request does not wait for the answer, and aborts no other request', async () => {
    const answer = Promise.withResolvers<Response>()
    const { list, headers } = service([answer.promise])
    const gaveUp = new AbortController()
    const one = list({ signal: gaveUp.signal })
    const other = list()
    gaveUp.abort()
    await expect(one).rejects.toMatchObject({ kind: 'aborted', sent: false })
    answer.resolve(Response.json({ evalVocabulary: { version: 2 } }))
    await other
    expect(headers).toEqual(['2'])
  })

  test('a deployment without the route is used in vocabulary 1, and is not asked again', async () => {
    const { asked, headers, list } = service([Response.json({ code: 'NOT_FOUND', message: 'no' }, { status: 404 })])
    await list()
    await list()
    expect(headers).toEqual([null, null])
    expect(asked.filter(path => path.endsWith('/capabilities'))).toHaveLength(1)
  })

  test('a lost connection delays no list, and the next read asks again', async () => {
    const { headers, list } = service([new TypeError('lost'), Response.json({ evalVocabulary: 2 })])
    await list()
    await list()
    expect(headers).toEqual([null, '2'])
  })
})
