import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { newHome } from './homes.ts'
import { startServing, type Serving } from './serving.ts'
import { visit, type Visitor } from './visitor.ts'

const GAUGE = /[━─]{10} \d+\+?\/10\b/

/** The outcome of every request in the dashboard's log: the status of its answer, or the reason why there is none. */
function outcomes(log: string): string[] {
  return [...readFileSync(log, 'utf8').matchAll(/^\S+ [A-Z]+ \/\S+ (\w+) \d+ms$/gm)].map(found => found[1]!)
}

test.concurrent('a run on a service is followed to its end within the budget of requests', async ending => {
  const service = await startServing(newHome(ending), {}, ending)
  const log = join(newHome(ending), 'dashboard.log')
  await using person = visit({ env: service.env, args: ['--log-file', log] })
  await person.see('▌Sandbox')
  await person.see(new RegExp(`^ service · ${service.host} `))
  await person.see(GAUGE)
  person.press(projectsKeys.bindings.runs)
  await person.see('▌Reference server smoke')
  person.press(runsKeys.bindings.launch)
  await person.see('As configured')
  person.press(formKeys.bindings.choose)
  await person.see(/▌ Launch \d+ trials/)
  person.press(formKeys.bindings.choose)
  await person.see('▌Run #1')
  await person.see(/✗ failed +Sum is wrong[^]*✓ passed +Long operation/)
  await person.see(/#1 .*✗ failed +9\/10/)
  expect(person.terminal.row(0)).toMatch(GAUGE)
  const noted = outcomes(log)
  expect(noted.length).toBeGreaterThan(10)
  const refused = noted.filter(outcome => /^[45]/.test(outcome))
  expect(refused.filter(status => status !== '429')).toEqual([])
  // An abandoned request may reach a busy service late, and take the place of another.
  const givenUp = noted.filter(outcome => !/^\d/.test(outcome))
  expect(refused.length, noted.join(' ')).toBeLessThanOrEqual(givenUp.length)
  expect(readFileSync(log, 'utf8')).not.toContain(service.env.MCPDECK_API_KEY)
})

test.concurrent('when the service stops, data stays, and its return is noticed', async ending => {
  const [serving, home] = [newHome(ending), newHome(ending)]
  const service = await startServing(serving, {}, ending)
  const seeStopped = async (person: Visitor) => {
    await person.see(/^[^\n]*no answer since \d\d:\d\d/)
    await person.see(/Read (?:just now|\d+m ago): Connection refused/)
    expect(person.terminal.words()).toContain('▌Reference server smoke')
  }
  const seeBack = async (person: Visitor) => {
    await person.see(/^[^\n]*fresh/)
    await person.seeGone('Connection refused')
    expect(person.terminal.words()).toContain('▌Reference server smoke')
  }
  const start = () => startServing(serving, { port: service.port }, ending)
  let again: Serving
  {
    await using person = visit({ home, env: service.env })
    await person.see('▌Sandbox')
    await person.see('Swarms and scenarios')
    person.press(projectsKeys.bindings.runs)
    await person.see('▌Reference server smoke')
    await person.see('fresh')
    await service.stop()
    person.press(appKeys.bindings.refresh)
    await seeStopped(person)
    again = await start()
    await seeBack(person)
    person.press(appKeys.bindings.quit)
    await person.terminal.waitForExit()
  }
  await again.stop()

  await using person = visit({ home, env: service.env })
  await seeStopped(person)
  await start()
  await seeBack(person)

  const folder = join(home, '.cache/mcpdeck')
  // Node's compiled code is stored there too, but answers are not.
  const [file, ...others] = readdirSync(folder).filter(name => name !== 'compiled')
  expect(others).toEqual([])
  expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, file!), 'utf8')).not.toContain(service.env.MCPDECK_API_KEY)
})
