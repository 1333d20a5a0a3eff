import { readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { newsKeys } from '../../src/components/list/list-keys.ts'
import { createApi, sandbox } from '../service/harness.ts'
import { newHome } from './homes.ts'
import { startServing } from './serving.ts'
import { visit } from './visitor.ts'

test.concurrent('the samples of a new workspace appear in its lists without a key', async ending => {
  await using person = visit({ home: newHome(ending) })
  await person.see('▌Sandbox')
  person.go(4)
  await person.see('Sample: nightly')
})

test.concurrent('new items since the last session are one key away, and seen rows stay seen', async ending => {
  const home = newHome(ending)
  const serving = await startServing(newHome(ending), {}, ending)
  const api = createApi(request => fetch(request), serving.env.MCPDECK_API_KEY, serving.baseUrl)
  const { projectId } = await sandbox(api)
  const save = async (name: string) => {
    const body = { name, enabled: true, transportType: 'http' as const, url: `https://${name}.example/mcp` }
    await api.call(contract.servers.create, { projectId, body })
  }
  const visitServers = () => visit({ home, env: serving.env, args: [`projects/${projectId}/servers`] })
  const leave = async (person: ReturnType<typeof visit>) => {
    person.press(appKeys.bindings.quit)
    expect(await person.terminal.waitForExit()).toMatchObject({ code: 0 })
  }
  {
    await using person = visitServers()
    await person.see(/everything +stdio/)
    await person.see('fresh')
    await leave(person)
  }
  const state = join(home, '.local/state/mcpdeck')
  const [file] = readdirSync(state).filter(name => name.startsWith('seen-'))
  expect(statSync(join(state, file!)).mode & 0o777).toBe(0o600)
  await save('amber')
  await save('birch')
  {
    await using person = visitServers()
    await person.see('2 new')
    person.press(newsKeys.bindings.only)
    await person.see('of 2/3')
    expect(person.terminal.screen()).not.toMatch(/everything +stdio/)
    person.press(newsKeys.bindings.seen)
    await person.see('of 1/3')
    await person.see('1 new')
    await leave(person)
  }
  await using person = visitServers()
  await person.see(/everything +stdio/)
  await person.see('fresh')
  person.press(newsKeys.bindings.only)
  await person.see('Nothing new or changed here since your last visit')
})

test.concurrent('a workspace that cannot be opened is reported in every pane', async ending => {
  const home = newHome(ending)
  const inTheWay = join(home, 'file')
  writeFileSync(inTheWay, '')
  await using person = visit({ home, args: ['--data-dir', join(inTheWay, 'data')] })
  await person.see('✗ Local workspace closed')
  await person.see('no answer yet')
  person.go(4)
  await person.see('Without the projects there is nothing to show here.')
  rmSync(inTheWay)
  person.go(2)
  await person.see('▌Sandbox')
  await person.see('fresh')
})
