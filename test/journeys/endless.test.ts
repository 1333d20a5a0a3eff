import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  clientsScreen,
  environmentsScreen,
  findingsScreen,
  nowScreen,
  projectsScreen,
  runsScreen,
  scenariosScreen,
  serversScreen,
  sessionsScreen,
  swarmsScreen,
} from '../../src/app/screens.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { sandbox, untilEnded, type Ending } from '../service/harness.ts'
import { openHostileService } from './hostile-service.ts'
import { visit } from './visitor.ts'

/** Texts that are long, slow to measure, or deeply nested. */
const ENDLESS = [
  `evil${'\u200C'.repeat(30_000)}`,
  `evil${'\u0301\u0489'.repeat(50_000)}`,
  `evil${'\u{1F469}\u200D'.repeat(100_000)}`,
  `evil${'\u00AD'.repeat(100_000)}`,
  `evil ${'*a#'.repeat(30_000)}`,
  `evil\n${'>'.repeat(100_000)}`,
  `evil ${'['.repeat(100_000)}`,
  `evil ${'[{"a":'.repeat(4_000)}`,
  `evil${'x'.repeat(1_000_000)}`,
]

const ends: (() => unknown)[] = []
let env: Record<string, string>

beforeAll(async () => {
  const ending = { onTestFinished: (end: () => unknown) => void ends.unshift(end) } as Ending
  const service = await openHostileService('every text but words of the contract', ending, ENDLESS)
  env = service.env
  const { projectId, suiteId } = await sandbox(service.api)
  const launched = await service.api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(service.api, projectId, launched.runId)
})

afterAll(async () => {
  for (const end of ends) await end()
})

/** Screens that show long texts or charts; the others are lists and records, which these screens have too. */
const WITH_BODIES = [
  clientsScreen,
  environmentsScreen,
  findingsScreen,
  nowScreen,
  projectsScreen,
  runsScreen,
  scenariosScreen,
  serversScreen,
  sessionsScreen,
  swarmsScreen,
]

// Each screen gets a separate start, because Ctrl+C ends the program from each.
test.concurrent.for(WITH_BODIES)('Ctrl+C ends the program with endless texts on $title without help', async screen => {
  await using person = visit({ env, cols: 120, rows: 36 })
  const { terminal } = person
  await person.see('Sandbox')
  terminal.press('enter')
  person.open(screen)
  for (const key of ['j', ']', ']', 'k', ']']) person.type(key)
  terminal.press('enter')
  await person.see('evil')
  terminal.press('ctrl+c')
  expect(await terminal.waitForExit()).toEqual({ code: 130, signal: undefined })
  expect(terminal.buffer).toBe('normal')
  expect(terminal.words()).not.toContain('had to stop')
})
