import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { XMLValidator } from 'fast-xml-parser'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { IMPOSSIBLE_TIME } from '../../src/lib/times.ts'
import { NOUNS } from '../../src/cli/nouns/nouns.ts'
import { openHostileService } from '../journeys/hostile-service.ts'
import { sandbox, untilEnded } from '../service/harness.ts'
import { openHome } from './program.ts'

test('no command fails on a service whose times are outside the calendar', async context => {
  const { api, env } = await openHostileService('every time', context)
  const { projectId, suiteId, serverId } = await sandbox(api)
  const { runId } = await api.call(contract.runs.create, { projectId, body: { suiteId } })
  await untilEnded(api, projectId, runId)
  const { items } = await api.call(contract.iterations.list, { projectId, runId })
  const home = await openHome()
  context.onTestFinished(() => home.close())
  const known: Record<string, string> = { server: serverId, suite: suiteId, run: runId, trial: items[0]!.id }
  const failed = []
  let shown = ''
  for (const { name, parents = [] } of NOUNS) {
    const needed = parents.filter(({ optional }) => !optional).map(({ option }) => option)
    if (needed.some(option => known[option] === undefined)) continue
    const args = ['get', name, ...needed.flatMap(option => [`--${option}`, known[option]!])]
    home.rest()
    const { code, stdout, stderr } = await home.run(args, { env })
    shown += stdout
    if (code !== 0) failed.push({ args, code, stderr })
    if (/Invalid|NaN/.test(stdout)) failed.push({ args, stdout })
  }
  expect(failed).toEqual([])
  expect(shown).toContain(IMPOSSIBLE_TIME)
  home.rest()
  const { code: verdict } = await home.run(['watch', runId], { env })
  const report = join(home.home, 'report.xml')
  expect(await home.run(['watch', runId, '--junit', report], { env })).toMatchObject({ code: verdict })
  expect(verdict).toBe(1)
  expect(XMLValidator.validate(readFileSync(report, 'utf8'))).toBe(true)
})
