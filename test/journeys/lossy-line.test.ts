import { join } from 'node:path'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { lossyLine, type LossyLine } from '../pty/lossy-line.ts'
import { newHome } from './homes.ts'
import { startServing, type Serving } from './serving.ts'
import { visit } from './visitor.ts'

/** Failures of a bad connection that show at once; a silent connection only shows after a deadline. */
const AT_ONCE = ['broken', 'unanswered', 'cut short'] as const

function through(line: LossyLine, service: Serving) {
  return { ...service.env, MCPDECK_BASE_URL: line.url }
}

test.concurrent(
  'with 300 ms to the service and one request in five lost, a run is launched once and followed to its end',
  { timeout: 300_000 },
  async ending => {
    const service = await startServing(newHome(ending), {}, ending)
    await using line = await lossyLine(service.baseUrl, { delayMs: 150, loss: 0.2, seed: 3, losses: AT_ONCE })
    const log = join(newHome(ending), 'dashboard.log')
    await using person = visit({ env: through(line, service), args: ['--log-file', log], line: { delayMs: 150 } })
    await person.see('▌Sandbox')
    await person.see('Swarms and scenarios')
    person.press(projectsKeys.bindings.runs)
    await person.see('▌Reference server smoke')
    person.press(runsKeys.bindings.launch)
    await person.see('As configured')
    person.press(formKeys.bindings.choose)
    await person.see(/▌ Launch \d+ trials/)
    person.press(formKeys.bindings.choose)
    await person.terminal.waitFor(/#1 .*✗ failed +9\/10/, 50_000)
    expect(line.requests).toBeGreaterThan(10)
    expect(line.lost.length).toBeGreaterThan(0)
    const launches = readFileSync(log, 'utf8').match(/ POST \/\S*\/eval-runs (?:200|201|202) /g) ?? []
    expect(launches.length).toBeLessThanOrEqual(1)
    expect(person.terminal.screen()).not.toContain('#2')
    person.press(appKeys.bindings.quit)
    expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  },
)

test.concurrent(
  'a lost connection shows since when it is lost, keeps the data, and recovers without a key',
  { timeout: 300_000 },
  async ending => {
    const service = await startServing(newHome(ending), {}, ending)
    await using line = await lossyLine(service.baseUrl, { delayMs: 50, losses: AT_ONCE })
    await using person = visit({ env: through(line, service) })
    await person.see('▌Sandbox')
    await person.see('Swarms and scenarios')
    person.press(projectsKeys.bindings.runs)
    await person.see('▌Reference server smoke')
    await person.see('fresh')
    for (let time = 0; time < 2; time += 1) {
      line.setLoss(1)
      person.press(appKeys.bindings.refresh)
      await person.see(/^[^\n]*no answer since \d\d:\d\d/)
      await person.see(/! Read (?:just now|\d+m ago)/)
      expect(person.terminal.words()).toContain('▌Reference server smoke')
      person.go(3)
      await person.see('[3 Servers]')
      person.go(4)
      await person.see('[4 Runs]')
      line.setLoss(0.05)
      await person.terminal.waitFor(/^[^\n]*fresh/, 40_000)
      await person.seeGone('! Read')
    }
    expect(person.terminal.exit).toBeUndefined()
    person.press(appKeys.bindings.quit)
    expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  },
)
