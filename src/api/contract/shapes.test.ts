import { expect, onTestFinished, test } from 'vitest'
import * as z from 'zod'
import { allEndpoints } from './contract.ts'
import { page, record, shape } from './shapes.ts'

/** Returns a list that receives every schema built until the test ends. */
function schemasMade(): unknown[] {
  const made: unknown[] = []
  z.config({ postProcessor: schema => made.push(schema) })
  onTestFinished(() => void z.config({ postProcessor: undefined }))
  return made
}

test('listing operations builds no schema, and each operation builds its own only once', () => {
  const made = schemasMade()
  for (const { operation, method, path, risk, gate, resource, name } of allEndpoints())
    expect({ operation, method, path, risk, gate, resource, name }).toMatchObject({ operation })
  expect(made).toEqual([])
  for (const endpoint of allEndpoints()) {
    const { query, body, response } = endpoint
    const count = made.length
    expect(query).toBe(endpoint.query)
    expect(body).toBe(endpoint.body)
    expect(response).toBe(endpoint.response)
    expect(made).toHaveLength(count)
  }
  expect(made.length).toBeGreaterThan(allEndpoints().length)
})

test('a schema is built when it is first used, even if it is part of another schema', () => {
  const made = schemasMade()
  const Name = shape(() => record({ first: z.string() }))
  const Names = page(Name)
  expect(made).toEqual([])
  expect(Names().parse([{ first: 'Ada', more: 1 }])).toEqual({ items: [{ first: 'Ada', more: 1 }] })
  expect(Name()).toBe(Name())
  expect(z.safeParse(z.array(Name), [{}]).error?.issues).toMatchObject([{ path: [0, 'first'] }])
})
