import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { appKeys } from '../../src/app/shell/app-keys.ts'
import { confirmKeys } from '../../src/components/component-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { startServing } from './serving.ts'
import { visit } from './visitor.ts'

const GAUGE = /[█░]{10} \d+\/10\b/

function newHome(): string {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  return home
}

/** Status of every answer that the dashboard noted in its log. */
function statuses(log: string): string[] {
  return [...readFileSync(log, 'utf8').matchAll(/^\S+ [A-Z]+ \/\S+ (\w+) \d+ms$/gm)].map(found => found[1]!)
}

test('a run on a service is followed to its end within the budget of requests', async () => {
  const service = await startServing(newHome())
  const log = join(newHome(), 'dashboard.log')
  await using person = visit({ env: service.env, args: ['--log-file', log] })
  await person.see('▌Sandbox')
  await person.see(new RegExp(`^ service · ${service.host} `))
  await person.see(GAUGE)
  person.press(projectsKeys.bindings.runs)
  await person.see('▌Reference server smoke')
  person.press(runsKeys.bindings.launch)
  await person.see('❯ Cancel')
  person.press(confirmKeys.bindings.next)
  await person.see('❯ Launch the run')
  person.press(confirmKeys.bindings.choose)
  await person.see('▌Run #1')
  await person.see(/✗ failed +Sum is wrong[^]*✓ passed +Long operation/)
  await person.see(/#1 +✗ failed +9\/10/)
  expect(person.terminal.row(0)).toMatch(GAUGE)
  const answers = statuses(log)
  expect(answers.length).toBeGreaterThan(10)
  expect(answers.filter(status => /^[45]/.test(status))).toEqual([])
  expect(readFileSync(log, 'utf8')).not.toContain(service.env.MCPDECK_API_KEY)
})

test('when the service stops, what was read stays; when it is back, a refresh recovers', async () => {
  const home = newHome()
  const service = await startServing(home)
  await using person = visit({ env: service.env })
  await person.see('▌Sandbox')
  await person.see('launch eval run')
  person.press(projectsKeys.bindings.runs)
  await person.see('▌Reference server smoke')
  await person.see('fresh')

  await service.stop()
  person.press(appKeys.bindings.refresh)
  await person.see(/^[^\n]*no answer/)
  await person.see('Connection refused; showing what was read')
  expect(person.terminal.screen()).toContain('▌Reference server smoke')

  await startServing(home, { port: service.port })
  person.press(appKeys.bindings.refresh)
  await person.see(/^[^\n]*fresh/)
  await person.seeGone('Connection refused')
  expect(person.terminal.screen()).toContain('▌Reference server smoke')
})
