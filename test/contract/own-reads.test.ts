import { expect, onTestFinished, test } from 'vitest'
import type * as z from 'zod'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient } from '../../src/api/client/client.ts'
import type { Fetch } from '../../src/api/client/transport/fetch.ts'
import { allEndpoints, API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { plainHeaders } from '../../src/api/contract/message.ts'
import { createService } from '../../src/service/workspace/service.ts'

/** Schemas that return their input unchanged. */
const KEEPING = new Set(
  'array boolean enum literal null nullable number optional record string union unknown'.split(' '),
)

type Def = z.core.$ZodTypeDef & {
  shape?: Record<string, z.core.$ZodType>
  options?: readonly z.core.$ZodType[]
  checks?: readonly { _zod: { def: { check: string } } }[]
  catchall?: z.core.$ZodType
  coerce?: boolean
  transform?: (value: unknown, context: unknown) => unknown
} & Partial<Record<'innerType' | 'element' | 'keyType' | 'valueType' | 'in' | 'out', z.core.$ZodType>>

/** Paths at which a schema returns something other than its input, with the kind of schema there. */
function changes(schema: z.core.$ZodType, path: string, seen = new Set<unknown>()): string[] {
  if (seen.has(schema)) return []
  seen.add(schema)
  const def: Def = schema._zod.def
  const { shape = {}, options = [], checks = [] } = def
  const inner = [def.innerType, def.element, def.keyType, def.valueType, def.in, def.out, ...options]
  // An object schema without a rule for other fields drops them.
  const isKept =
    KEEPING.has(def.type) ||
    (def.type === 'object' && def.catchall !== undefined) ||
    // The envelope around a bare list.
    def.type === 'pipe' ||
    (def.type === 'transform' && keepsObjects(def))
  const isOverwritten = def.coerce || checks.some(({ _zod }) => _zod.def.check === 'overwrite')
  return [
    ...(isKept && !isOverwritten ? [] : [`${path}: ${def.type}`]),
    ...inner.flatMap(each => (each ? changes(each, path, seen) : [])),
    ...Object.entries(shape).flatMap(([name, each]) => changes(each, `${path}.${name}`, seen)),
  ]
}

function keepsObjects({ transform }: Def): boolean {
  return [{}, { items: [] }, null].every(value => transform?.(value, {}) === value)
}

test('a read returns exactly what the service wrote, except for lists that may be left out', () => {
  const reads = allEndpoints().filter(({ method }) => method === 'GET')
  expect(reads.flatMap(({ operation, response }) => changes(response, operation))).toEqual([
    // The local workspace always sends it.
    'listReadinessRuns.items: transform',
  ])
  expect(changes(contract.projects.list.query!, 'query')).toEqual(['query.limit: number'])
})

/** A client that gets the same answer to every request. */
function clientOf(answer: { body: unknown; asDeclared?: boolean }) {
  const fetch: Fetch = async () => ({
    ...answer,
    status: 200,
    headers: plainHeaders({}),
    body: JSON.stringify(answer.body),
  })
  return createClient({ fetch, baseUrl: 'http://own.invalid', budget: createBudget({ unlimited: true }) })
}

test('an answer is checked unless the same process wrote it, and the answer of a write is always checked', async () => {
  const broken = { id: 7 }
  const own = clientOf({ body: broken, asDeclared: true })
  expect(await own.suites.get({ projectId: 'p', suiteId: 's' })).toEqual(broken)
  const mismatch = { kind: 'invalid-response', code: 'mismatch' }
  await expect(own.projects.create({ body: { name: 'n' } })).rejects.toMatchObject(mismatch)
  await expect(clientOf({ body: broken }).suites.get({ projectId: 'p', suiteId: 's' })).rejects.toMatchObject(mismatch)
})

test.each([{ validateResponses: false }, {}])('a service vouches for answers it does not check: %o', async options => {
  const service = await createService({ memory: true, ...options })
  onTestFinished(() => service.close())
  const vouched: Record<string, boolean | undefined> = {}
  const client = createClient({
    async fetch(request) {
      const answer = await service.answer(request)
      vouched[new URL(request.url).pathname.split('/').at(-1)!] = answer.asDeclared
      return answer
    },
    baseUrl: `http://own.invalid${API_PREFIX}`,
    key: service.localKey,
    budget: createBudget({ unlimited: true }),
  })
  const projectId = (await client.projects.list()).items[0]!.id
  const suiteId = (await client.suites.list({ projectId })).items[0]!.id
  // The answer is a bare array, which differs from its declaration.
  expect(await client.runs.list({ projectId, suiteId })).toEqual({ items: [] })
  await expect(client.suites.get({ projectId, suiteId: 'none' })).rejects.toMatchObject({ status: 404 })
  const isVouched = options.validateResponses === false
  expect(vouched).toEqual({ projects: isVouched, 'eval-suites': isVouched, runs: false, none: undefined })
})
