import { expect, test } from 'vitest'
import { requireComplete, serviceDocument } from '../../scripts/docs/service.ts'
import { usesIn } from '../../scripts/docs/test-uses.ts'
import { allEndpoints, contract } from '../../src/api/contract/contract.ts'
import { refusalOf } from '../../src/service/core/refusals.ts'

test.each([
  ['contract.runs.list', ['runs.list']],
  [
    'const { runs, servers: saved } = contract\napi.call(runs.get)\napi.call(saved.tools)',
    ['runs.get', 'servers.tools'],
  ],
  ['const {\n  list: all,\n  get,\n} = contract.runs\napi.call(all)', ['runs.list']],
  ['const { cases } = contract\nstore.cases.list(id)\ncases.none', []],
  ['const known = contract.cases\napi.call(known.get)', ['cases.get']],
  ["import { servers } from '../../src/api/contract/servers.ts'\nservers.list", ['servers.list']],
  ["import { servers } from './elsewhere.ts'\nservers.list", []],
  ['const { runs } = contract\n// runs.list\n  * runs.get', []],
])('operations in a test are recognised: %j uses %j', (text, operations) => {
  expect([...usesIn(text)]).toEqual(operations)
})

test('the document has one row for every operation, and names what serves, refuses and tests it', () => {
  const rows = serviceDocument()
    .split('\n')
    .filter(line => /^\| `\w+` \| [A-Z]+ \//.test(line))
  expect(rows).toHaveLength(allEndpoints().length)
  for (const row of rows) {
    const [, , , servedBy = '', role = '', , tests = ''] = row.split(/(?<!\\)\|/).map(cell => cell.trim())
    expect(servedBy).toMatch(/^(`src\/service\/[a-z-]+\/[a-z-]+\.ts`|refused: .+\.)$/)
    expect(role !== '').toBe(servedBy.startsWith('`'))
    expect(tests).not.toBe('')
  }
})

test('an operation that nothing serves or tests fails the document, which names it', () => {
  const { list } = contract.servers
  const served = new Map([['servers', 'src/service/servers/handlers.ts']])
  const tested = new Map([['servers.list', ['a.test.ts']]])
  expect(() => requireComplete([list], served, tested)).not.toThrow()
  expect(() => requireComplete([list], new Map(), new Map())).toThrow(
    'Operations without a server and without a refusal: servers.list.\nOperations without a test: servers.list.',
  )
  const { close } = contract.tunnels
  expect(refusalOf(close)).toBeDefined()
  expect(() => requireComplete([close], served, tested)).toThrow(/^Operations without a test: tunnels.close\.$/)
})
