import { expect, test } from 'vitest'
import { allEndpoints, API_PREFIX } from '../../api/contract/contract.ts'
import { pathParameters } from '../../api/contract/endpoint.ts'
import { createRouter } from './pipeline.ts'

const router = createRouter()
const operation = (method: string, path: string) => router.match(method, API_PREFIX + path)?.endpoint.operation

test('every declared path leads to its operation with its decoded values', () => {
  for (const endpoint of allEndpoints()) {
    const names = pathParameters(endpoint.path)
    const path = endpoint.path.replaceAll(/\{([^}]+)\}/g, (_, name: string) => `%41b-${name}`)
    const match = router.match(endpoint.method, API_PREFIX + path)
    expect([match?.endpoint.operation, match?.params]).toEqual([
      endpoint.operation,
      Object.fromEntries(names.map(name => [name, `Ab-${name}`])),
    ])
  }
})

test('a fixed word in a path takes precedence over a parameter', () => {
  const rivals = allEndpoints().filter(({ method, path }) =>
    allEndpoints().some(
      other =>
        other.method === method &&
        other.path !== path &&
        other.path.split('/').length === path.split('/').length &&
        other.path.split('/').every((part, index) => part.startsWith('{') || part === path.split('/')[index]),
    ),
  )
  expect(rivals.length).toBeGreaterThan(0)
  for (const { method, path, operation: wanted } of rivals)
    expect(operation(method, path.replaceAll(/\{[^}]+\}/g, 'x'))).toBe(wanted)
})

test.each(['', '/', '/projects/', '//projects', '/projects//eval-runs', '/projects/%zz', '/nothing'])(
  'the path %j leads to no operation',
  path => {
    expect(operation('GET', path)).toBeUndefined()
    expect(router.methods(API_PREFIX + path)).toEqual([])
  },
)

test('HEAD is handled like GET, and a path lists its methods', () => {
  expect(operation('HEAD', '/projects')).toBe('listProjects')
  expect(operation('DELETE', '/projects')).toBeUndefined()
  expect(router.methods(`${API_PREFIX}/projects`)).toEqual(['GET', 'HEAD', 'POST'])
  expect(router.match('GET', '/projects')).toBeUndefined()
})
