import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createBudget } from '../../src/api/client/budget/budget.ts'
import { createClient, type Client } from '../../src/api/client/client.ts'
import { isTerminalRunStatus } from '../../src/api/contract/runs.ts'
import { createHttpFetch } from '../../src/api/client/transport/fetch.ts'
import { startServing } from '../journeys/serving.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { untilNextLook } from '../pause.ts'

/** A real service with a prepared workspace, in a separate process. */
export type Stage = AsyncDisposable & {
  baseUrl: string
  key: string
  pid: number
  client: Client
  projectId: string
  serverId: string
  /** Suites by the result of their runs, and an ended run of each. */
  passing: { suiteId: string; runId: string }
  failing: { suiteId: string; runId: string }
  scenarioId: string
  /** Requests that were answered with 500 since the last call, from the log of the service. */
  failures(): string[]
}

/** Serves a new workspace with samples, one suite that passes, one that fails, and an ended run of each. */
export async function openStage(): Promise<Stage> {
  const ends: (() => unknown)[] = []
  const home = createHome()
  ends.push(() => removeHome(home))
  const requestLog = join(home, 'requests.jsonl')
  const args = ['--sample', '--rate-limit', '0', '--max-runs', '1000', '--request-log', requestLog]
  const serving = await startServing(home, { args }, { onTestFinished: end => void ends.push(end as () => void) })
  const http = createHttpFetch({ baseUrl: serving.baseUrl })
  ends.push(http.close)
  const key = serving.env.MCPDECK_API_KEY
  const client = createClient({
    fetch: http.fetch,
    baseUrl: serving.baseUrl,
    key,
    budget: createBudget({ unlimited: true }),
  })
  const projectId = (await client.projects.list()).items[0]!.id
  const server = (await client.servers.list({ projectId })).items[0]!
  const scenarios = await client.scenarios.list({ projectId })
  const suite = (name: string, wanted: string) =>
    makeSuite(client, projectId, { name, server, cases: [echoing('says yes', 'yes'), echoing('says more', wanted)] })
  return {
    ...serving,
    key,
    client,
    projectId,
    serverId: server.id,
    failures: failuresIn(requestLog),
    passing: await suite('Fuzz passes', 'yes'),
    failing: await suite('Fuzz fails', 'no such word'),
    scenarioId: scenarios.items[0]?.id ?? 'none',
    async [Symbol.asyncDispose]() {
      for (const end of ends.toReversed()) await end()
    },
  }
}

/** Lines of a request log with status 500, each returned once. */
function failuresIn(file: string): () => string[] {
  let seen = 0
  return () => {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1)
    const found = lines.slice(seen).filter(line => (JSON.parse(line) as { status?: number }).status === 500)
    seen = lines.length
    return found
  }
}

type Server = { id: string; name: string }
type Step = { id: string; kind: 'toolCall' | 'assert'; [field: string]: unknown }

function echoing(title: string, wanted: string): { title: string; steps: Step[] } {
  return {
    title,
    steps: [
      { id: 'call', kind: 'toolCall', toolName: 'echo', arguments: { message: 'yes' } },
      { id: 'check', kind: 'assert', assertion: { type: 'responseContains', needle: wanted } },
    ],
  }
}

/** Creates a suite whose tool calls go to one server, and waits for a run of it to end. */
export async function makeSuite(
  client: Client,
  projectId: string,
  { name, server, cases }: { name: string; server: Server; cases: readonly { title: string; steps: Step[] }[] },
): Promise<{ suiteId: string; runId: string }> {
  const tests = cases.map(({ title, steps }) => ({
    title,
    steps: steps.map(step => (step.kind === 'toolCall' ? { ...step, serverName: server.name } : step)),
  }))
  const body = { name, model: 'none', serverIds: [server.id], tests } as Parameters<
    Client['suites']['create']
  >[0]['body']
  const { suiteId } = await client.suites.create({ projectId, body })
  const { runId } = await client.runs.create({ projectId, body: { suiteId } })
  while (!isTerminalRunStatus((await client.runs.get({ projectId, runId })).status)) await untilNextLook(50)
  return { suiteId, runId }
}
