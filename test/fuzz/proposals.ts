import { isDeepStrictEqual } from 'node:util'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { randomNumbers, type Random } from '../random-numbers.ts'
import { openScriptedModel } from '../service/scripted-model.ts'
import { Findings, type Part } from './part.ts'
import { runToEnd, type Finished } from './process.ts'
import { CHANGES, changedJson, hostileText } from './values.ts'

type Ids = { projectId: string; suiteId: string; serverId: string }
type Call = { name: string; args: unknown }

/** Writes that a model can only propose, as an honest model would. */
const WRITES: readonly ((ids: Ids, random: Random) => Call)[] = [
  ({ suiteId }, random) => ({
    name: 'updateEvalSuite',
    args: { suiteId, body: { name: hostileText(random).slice(0, 90), description: hostileText(random).slice(0, 900) } },
  }),
  ({ suiteId }) => ({ name: 'deleteEvalSuite', args: { suiteId } }),
  ({ suiteId }) => ({ name: 'createEvalRun', args: { body: { suiteId, notes: 'one' } } }),
  ({ serverId }, random) => ({
    name: 'updateProjectServer',
    args: { serverId, body: { name: hostileText(random).slice(0, 60), url: `https://x.example/${random.below(99)}` } },
  }),
  ({ serverId }) => ({
    name: 'callTool',
    args: { serverId, body: { toolName: 'echo', parameters: { message: 'x' } } },
  }),
]

/**
 * The intended call, or one with a part of its input corrupted, and the text of its input, which may be deeply nested.
 */
function spoilt({ name, args }: Call, random: Random): Call & { text: string } {
  const meant = JSON.stringify(args)
  const text = (random.chance(0.4) ? undefined : changedJson(meant, CHANGES_OF_INPUT, random)?.text) ?? meant
  return { name, args: JSON.parse(text), text }
}

/** Input that is too deep for this process to send is left to the tests of depth. */
const CHANGES_OF_INPUT = CHANGES.filter(({ name }) => name !== 'deep JSON')

/** A model that proposes writes, and the text that a person reads before agreeing. */
export const proposals: Part = {
  name: 'proposals',
  says: 'what a hostile model proposes, and the text in which a person is asked about it',
  async round({ seed, limits }) {
    const findings = new Findings('proposals', seed)
    const random = randomNumbers(seed)
    const [home, folder] = [createHome(), mkdtempSync(join(tmpdir(), 'mcpdeck-fuzz-'))]
    const told: string[] = []
    let calls: ReturnType<typeof spoilt>[] = []
    const model = await openScriptedModel(({ results }) =>
      results.length > 0 ? { text: hostileText(random).slice(0, 2000) } : { calls },
    )
    const run = (...words: string[]): Promise<Finished> =>
      runToEnd({
        words,
        env: { MCPDECK_MODEL_BASE_URL: model.settings.baseUrl, MCPDECK_MODEL: 'small' },
        home,
        folder,
        limits,
        findings,
        mutations: told,
      })
    const list = async (noun: string): Promise<string> => (await run('get', noun, '--json')).output
    const first = async (noun: string) => (JSON.parse(await list(noun)) as { items: { id: string }[] }).items[0]!.id
    try {
      const ids = {
        projectId: await first('projects'),
        suiteId: await first('suites'),
        serverId: await first('servers'),
      }
      calls = Array.from({ length: 1 + random.below(3) }, () => spoilt(random.pick(WRITES)(ids, random), random))
      told.push(...calls.map(({ name, text }) => `${name} ${text.slice(0, 200)}`))
      // Samples are added meanwhile.
      const kept = async () =>
        [
          await run('api', 'GET', `/projects/${ids.projectId}/eval-suites/${ids.suiteId}`),
          await run('api', 'GET', `/projects/${ids.projectId}/servers/${ids.serverId}`),
        ].map(({ code, output }) => [code, output])
      const before = await kept()
      const asked = await run('ask', 'What would you do?')
      if (asked.code === EXIT.failedVerdict) asked.report('ended with 1 without a verdict')
      for (const actionId of new Set(asked.written.match(/(?<=--approve )act_\w+/g)))
        await lookAt(actionId, ids.projectId, run)
      if (!isDeepStrictEqual(await kept(), before)) asked.report('did what was only proposed')
    } finally {
      model.close()
      removeHome(home)
      rmSync(folder, { recursive: true, force: true })
    }
    return findings.problems
  },
}

/**
 * Reads the text that a person is shown of a proposal: nothing is sent without agreement, and the whole input is shown.
 */
async function lookAt(actionId: string, projectId: string, run: (...words: string[]) => Promise<Finished>) {
  const stored = await run('api', 'GET', `/local/projects/${projectId}/agent-proposals/${actionId}`)
  if (stored.code !== EXIT.done) return stored.report('the proposal cannot be read')
  const { input } = JSON.parse(stored.output) as { input: Record<string, unknown> }
  const shown = await run('ask', '--approve', actionId)
  // The records that the model names need not exist.
  if (shown.code === EXIT.noVerdict && shown.written.includes('Not found')) return undefined
  if (shown.code !== EXIT.usage) shown.report(`a proposal without a yes ended with ${shown.code}`)
  const text = /^\{$[^]*?^\}$/m.exec(shown.written)?.[0]
  if (text === undefined || !isDeepStrictEqual(parsed(text.replaceAll('\n', '')), { ...input, projectId }))
    shown.report('does not show all of the input before the yes')
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
