import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { allEndpoints, publishedEndpoints } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { compareOperation } from './compare-operation.ts'
import { deviations, PROSE_ONLY } from './deviations.ts'
import { documentedOperations, readOpenApi } from './openapi.ts'

const document = readOpenApi()
const documented = documentedOperations(document)
const declared = await declaredEndpoints()

/** The contract, and the parts that are to become part of it. An operation in both counts once. */
async function declaredEndpoints(): Promise<AnyEndpoint[]> {
  const folder = join(import.meta.dirname, '../../src/api/contract')
  const parts = readdirSync(folder).filter(name => /^part-\w+\.ts$/.test(name))
  const modules = await Promise.all(parts.map(name => import(join(folder, name)) as Promise<Record<string, object>>))
  const resources = modules.flatMap(part => Object.values(part)).flatMap(group => Object.values(group) as object[])
  const waiting = resources.flatMap(resource => Object.values(resource) as AnyEndpoint[])
  return [...new Set([...publishedEndpoints(), ...waiting])]
}

function repeated(values: string[]): string[] {
  return values.filter((value, index) => values.indexOf(value) !== index)
}

/** All differences as `operation — difference`. */
function differences(): string[] {
  return declared.flatMap(endpoint => {
    const there = documented.find(({ operation }) => operation === endpoint.operation)
    const found = there ? compareOperation(document, there, endpoint) : [PROSE_ONLY]
    return found.map(what => `${endpoint.operation} — ${what}`)
  })
}

describe('the declarations of the contract', () => {
  test('have no two operations with the same name, or with the same method and path', () => {
    const places = declared.map(({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`)
    expect(repeated(declared.map(({ operation }) => operation))).toEqual([])
    expect(repeated(declared.map(({ resource, name }) => `${resource}.${name}`))).toEqual([])
    expect(repeated(places)).toEqual([])
  })

  test('refresh only resources that exist after a write', () => {
    const all = [...declared, ...allEndpoints()]
    const resources = new Set(all.map(({ resource }) => resource))
    const unknown = all.flatMap(({ refreshes = [] }) => refreshes.filter(name => !resources.has(name)))
    expect(unknown).toEqual([])
  })
})

describe('the declarations compared with the OpenAPI file', () => {
  test('include every documented operation', () => {
    const names = declared.map(({ operation }) => operation)
    const missing = documented.filter(({ operation }) => !names.includes(operation))
    expect(documented).toHaveLength(161)
    expect(missing.map(({ operation }) => operation)).toEqual([])
  })

  test('differ exactly where deviations.ts gives a reason', () => {
    const listed = deviations.map(({ operation, what }) => `${operation} — ${what}`)
    const found = differences()
    expect(found.filter(difference => !listed.includes(difference))).toEqual([])
    expect(listed.filter(difference => !found.includes(difference))).toEqual([])
  })

  test('refer only to operations that the document has', () => {
    const places = documented.map(({ method, path }) => `${method} ${path}`)
    const strays = declared.filter(
      ({ source, method, path }) => source === 'openapi' && !places.includes(`${method} ${path}`),
    )
    expect(strays.map(({ operation }) => operation)).toEqual([])
  })
})
