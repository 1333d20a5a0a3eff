import { expect, test } from 'vitest'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { documentedOperations, readOpenApi } from '../contract/openapi.ts'
import { driveDashboard } from './drive.ts'
import { createValues } from './values.ts'

const document = readOpenApi()

test('any answer that the document allows can be read', () => {
  const values = createValues(document)
  const bare = (path: string): string => path.replaceAll(/\{[^}]+\}/g, '{}')
  for (const { method, path, operation, response } of documentedOperations(document)) {
    const endpoint = allEndpoints().find(each => each.method === method && bare(each.path) === bare(path))
    for (const seed of [1, 2, 3]) {
      const read = endpoint?.response.safeParse(values.of(response, seed))
      expect(read?.error?.issues, `${operation}, seed ${seed}`).toBeUndefined()
    }
  }
})

test(
  'random keys on random answers neither stop the dashboard nor make it show nonsense',
  { timeout: 300_000 },
  async () => {
    let checks = 0
    await driveDashboard({ document, seed: 1, until: keys => keys >= 300, onCheck: () => (checks += 1) })
    expect(checks).toBeGreaterThan(20)
  },
)
