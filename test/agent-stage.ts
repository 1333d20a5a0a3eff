import { echoCase } from './service/harness.ts'
import type { Answer, Asked } from './service/scripted-model.ts'

const calling = (name: string, args: unknown): Answer => ({ calls: [{ name, args }] })

/** A model that adds a failing suite for the selected server, proposes its run, and explains a selected run. */
export function suiteWriter({ prompts, results }: Asked): Answer {
  const [, kind, id = ''] = /\(Chosen on the screen: (\w+) ([\w-]+)\.\)$/.exec(prompts.at(-1) ?? '') ?? []
  return kind === 'server' ? written(id, results) : explained(id, results)
}

function written(serverId: string, [suite, run]: readonly string[]): Answer {
  const tests = [echoCase('Says yes', 'no', 'yes')]
  if (suite === undefined)
    return calling('createEvalSuite', { body: { name: 'Smoke', model: 'none', serverIds: [serverId], tests } })
  const { suiteId } = JSON.parse(suite) as { suiteId: string }
  if (run === undefined) return calling('createEvalRun', { body: { suiteId } })
  return { text: 'The suite **Smoke** has one case. Its first run waits for your approval.' }
}

function explained(runId: string, [trials, steps]: readonly string[]): Answer {
  if (trials === undefined) return calling('listEvalRunIterations', { runId })
  const [trial] = (JSON.parse(trials) as { items: { id: string; title: string }[] }).items
  if (steps === undefined) return calling('getEvalRunSteps', { runId, iterationId: trial!.id })
  const failed = (JSON.parse(steps) as { items: { status: string; reason?: string }[] }).items
  const { reason = 'nobody says why' } = failed.find(({ status }) => status === 'fail') ?? {}
  return { text: `The case **${trial!.title}** failed: ${reason}` }
}
