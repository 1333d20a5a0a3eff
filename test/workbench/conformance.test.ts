import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from '../cli/program.ts'
import { failing, installStandIn, passing, type SuitePlan } from '../cli/stand-in-suite.ts'
import { mcpJson, realServers } from './real-servers.ts'

let home: Awaited<ReturnType<typeof openHome>>
let cwd: string
let suite: ReturnType<typeof installStandIn>
beforeEach(async () => {
  home = await openHome()
  cwd = join(home.home, 'work')
  mkdirSync(cwd)
  suite = installStandIn(cwd)
})
afterEach(() => home.close())

test('each server from npm answers the conformance suite behind the bridge', async () => {
  const servers = realServers(cwd)
  writeFileSync(join(cwd, 'mcp.json'), mcpJson(servers.filter(({ name }) => name !== 'everything')))
  expect(await home.run(['server', 'import', join(cwd, 'mcp.json'), '--yes'])).toMatchObject({ code: 0 })
  suite.plan({ scenarios: { ping: [passing('ping')] } })
  for (const { name } of servers) expect(await home.run(['conformance', name], { cwd })).toMatchObject({ code: 0 })
  expect(suite.starts().map(({ status }) => status)).toEqual(servers.map(() => 200))
})

test('the last complete conformance run of a saved server is kept, and the next reports differences', async () => {
  const run = async (scenarios: SuitePlan['scenarios'], args: readonly string[] = []) => {
    suite.plan({ scenarios: scenarios! })
    return await home.run(['conformance', 'everything', ...args], { cwd })
  }
  const first = await run({ a: [passing('a')], b: [failing('b')], c: [passing('c')] })
  expect(first).toMatchObject({ code: 1 })
  expect(first.stdout).not.toContain('Since the last run')
  const changed = { a: [failing('a')], b: [passing('b')], c: [passing('c'), { id: 'w', status: 'WARNING' }] }
  const expected = join(cwd, 'expected.yml')
  writeFileSync(expected, 'server: [a]\n')
  // Neither a part of the suite nor a run that broke off replaces a complete run.
  const part = await run(changed, ['--scenario', 'a'])
  expect(part.stdout).toContain('Since the last run (just now): newly failing a.')
  suite.plan({ ends: 7 })
  const broken = await home.run(['conformance', 'everything'], { cwd })
  expect(broken).toMatchObject({ code: 3, stdout: expect.not.stringContaining('Since the last run') })
  suite.plan({ scenarios: changed, says: 9 })
  expect((await home.run(['conformance', 'everything'], { cwd })).code).toBe(1)
  const second = await run(changed, ['--expected', expected])
  expect(second.stdout).toContain('Since the last run (just now): newly failing a; fixed b.')
  expect((await run(changed)).stdout).toContain('Since the last run (just now): nothing changed.')
  const state = join(home.home, '.local/state/mcpdeck')
  expect(readdirSync(state).filter(name => /^conformance-.*\.json$/.test(name))).toHaveLength(1)
})
