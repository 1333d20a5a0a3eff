import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { asksModel } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalCase, EvalSuiteDetail } from '../../api/contract/suites.ts'
import { toolsSeenIn } from '../runs/comparison-tools.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { targetsOf, type LaunchChoice } from '../runs/launch-rules.ts'
import { launchSize } from '../runs/launch-size.ts'
import { outcomeOfRun } from '../runs/outcome.ts'
import type { LastPass, WatchedServer } from './watched-tools.ts'

/**
 * Returns the saved servers that a launch of a suite uses. If it names none of them, these are all enabled servers of
 * the project.
 * @throws ApiError
 */
export async function serversOf(
  client: Client,
  projectId: string,
  suite: EvalSuiteDetail,
  choice: LaunchChoice,
): Promise<WatchedServer[]> {
  const saved = await client.items(contract.servers.list, { projectId })
  const { environmentIds, clientIds } = targetsOf(suite, choice)
  const wanted = new Set<string>(choice.serverIds)
  for (const environmentId of environmentIds) {
    const { servers } = await client.environments.resolve({ projectId, environmentId })
    for (const { serverId } of servers ?? []) wanted.add(serverId)
  }
  const hosts = (suite.hosts ?? []).filter(({ id }) => clientIds.includes(id))
  const named = hosts.flatMap(({ servers }) => servers ?? [])
  if (wanted.size === 0)
    for (const name of named.length > 0 ? named : (suite.environment?.servers ?? [])) wanted.add(name)
  const used = saved.filter(({ id, name }) => wanted.has(id) || wanted.has(name))
  return (used.length > 0 ? used : saved.filter(({ enabled }) => enabled)).map(({ id, name, transportType }) => ({
    id,
    name,
    isProgram: transportType === 'stdio',
  }))
}

const LATEST_RUNS = 100

/**
 * Returns the tools as seen by the suite's last passed run; undefined if unknown.
 * @throws ApiError
 */
export async function lastPassOf(client: Client, projectId: string, suiteId: string): Promise<LastPass | undefined> {
  const { items } = await client.runs.list({ projectId, suiteId, limit: LATEST_RUNS })
  const run = items.find(each => outcomeOfRun(each) === 'passed')
  if (!run) return undefined
  const [trial] = (await client.iterations.list({ projectId, runId: run.id, limit: 1 })).items
  if (!trial) return undefined
  const trace = await client.iterations.trace({ projectId, runId: run.id, iterationId: trial.id })
  const listings = toolsSeenIn(trace)
  return listings && { listings, at: toEpochMs(run.completedAt) }
}

/** Maximum number of runs of a watch if each run uses models. */
export const MOST_RUNS = 20

/** Returns a sentence about what a run of a watched suite spends on models; undefined if it uses none. */
export function costOf(
  suite: EvalSuiteDetail,
  cases: readonly EvalCase[],
  { iterations, model, most }: { iterations?: number | undefined; model?: string | undefined; most: number },
): string | undefined {
  const asking = cases.filter(asksModel)
  const judge = suite.settings?.judge
  const isJudged = judge?.enabled === true && judge.autoRun === true
  if (asking.length === 0 && !isJudged) return undefined
  const { trials } = launchSize(suite, asking, { iterations, oneModel: model !== undefined })
  const what = [
    ...(asking.length > 0 ? [`asks models in ${plural(trials, 'trial')} of ${plural(asking.length, 'case')}`] : []),
    ...(isJudged ? ['is judged by a model'] : []),
  ]
  return `Each run ${what.join(' and ')}, and that is spent. At most ${formatCount(most)} runs are launched.`
}
