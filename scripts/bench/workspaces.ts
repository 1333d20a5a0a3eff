import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { fillPath, type EndpointDeclaration, type OutputOf } from '../../src/api/contract/endpoint.ts'
import { createService, type Service } from '../../src/service/workspace/service.ts'

/** Maximum number of cases in one request. */
const batch = 50

/** A data directory of the local workspace, and the place at which to open the dashboard. */
export type PreparedWorkspace = { dataDir: string; place: string; cases: number }

const THREE_DAYS_MS = 3 * 86_400_000

/** Number of trials of each case in the ended runs. */
export const iterations = 10

/** One of this many cases fails, as in a suite that needs attention. */
export const failsEvery = 50

export type PreparedWorkspaces = {
  /** One ended run of 1,000 cases with 10 trials each. */
  large: PreparedWorkspace
  /** One ended run of two cases with 10 trials each: just enough rows for ten keys down and back. */
  small: PreparedWorkspace
  /** The workspace `small`, but three days old: no age on the screen changes within minutes. */
  rested: PreparedWorkspace
  /** A suite that never ran, whose only case waits a minute for its server. */
  waiting: PreparedWorkspace
  /** Like `waiting`, with so many cases that their run, ten times each, lasts longer than the measurement. */
  lasting: PreparedWorkspace
  [Symbol.dispose](): void
}

type Step = Record<string, unknown>
type TestCase = { title: string; steps: readonly Step[] }
type Declared = EndpointDeclaration & { path: string }

/** Creates the workspaces through the real service, which really runs the cases against the reference server. */
export async function prepareWorkspaces(): Promise<PreparedWorkspaces> {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-bench-'))
  const at = (name: string) => join(folder, name)
  try {
    return {
      large: await prepare(at('large'), echoes(1000), 'run'),
      small: await prepare(at('small'), echoes(2), 'run'),
      rested: aged(await prepare(at('rested'), echoes(2), 'run'), THREE_DAYS_MS),
      waiting: await prepare(at('waiting'), [minute], 'leave'),
      lasting: await prepare(
        at('lasting'),
        Array.from({ length: 20 }, (_, index) => ({ ...minute, title: `${minute.title} ${index + 1}` })),
        'leave',
      ),
      [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
    }
  } catch (error) {
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Creates a workspace whose suite of echoes ran once, and returns its ids. */
export async function prepareEchoes(dataDir: string, cases: number): Promise<{ projectId: string; suiteId: string }> {
  const { projectId, suiteId } = await prepare(dataDir, echoes(cases), 'run')
  return { projectId, suiteId }
}

const minute: TestCase = {
  title: 'Waits a minute',
  steps: [call('trigger-long-running-operation', { duration: 60, steps: 60 })],
}

function echoes(count: number): TestCase[] {
  return Array.from({ length: count }, (_, index) => ({
    title: `Echo answers greeting ${index + 1}`,
    steps: [
      call('echo', { message: `hello ${index + 1}` }),
      {
        id: 'text',
        kind: 'assert',
        assertion: { type: 'responseContains', needle: (index + 1) % failsEvery === 0 ? 'goodbye' : 'hello' },
      },
    ],
  }))
}

function call(toolName: string, args: Record<string, unknown>): Step {
  return { id: 'call', kind: 'toolCall', serverName: 'everything', toolName, arguments: args }
}

/** Writes the suite and, if wanted, runs it to its end. */
async function prepare(
  dataDir: string,
  tests: readonly TestCase[],
  then: 'run' | 'leave',
): Promise<PreparedWorkspace & { projectId: string; suiteId: string }> {
  const service = await createService({ dataDir, trialConcurrency: 16, validateResponses: false })
  try {
    const ask = caller(service)
    const projectId = only((await ask(contract.projects.list)).items).id
    const serverId = only((await ask(contract.servers.list, { projectId })).items).id
    // Otherwise the Sandbox's own suite would be listed beside the measured one.
    const sandbox = only((await ask(contract.suites.list, { projectId })).items).id
    await ask(contract.suites.delete, { projectId, suiteId: sandbox })
    const first = { name: 'Measured', model: 'none', serverIds: [serverId], tests: tests.slice(0, batch) }
    const { suiteId } = await ask(contract.suites.create, { projectId }, first)
    for (let from = batch; from < tests.length; from += batch)
      await ask(contract.cases.createBatch, { projectId, suiteId }, { cases: tests.slice(from, from + batch) })
    const prepared = { dataDir, cases: tests.length, projectId, suiteId }
    if (then === 'leave') return { ...prepared, place: `projects/${projectId}/runs?suiteId=${suiteId}` }
    const body = { suiteId, iterationOverride: iterations }
    const { runId } = await ask(contract.runs.create, { projectId }, body)
    await service.settle()
    return { ...prepared, place: `projects/${projectId}/runs/${runId}?pane=run&tab=trials` }
  } finally {
    await service.close()
  }
}

/** Returns the same workspace with every time in its database moved back by this many milliseconds. */
function aged(workspace: PreparedWorkspace, ms: number): PreparedWorkspace {
  using database = new DatabaseSync(join(workspace.dataDir, 'mcpdeck.sqlite'))
  const since = Date.now() - 86_400_000
  const columns = database
    .prepare(
      "SELECT m.name AS 'table', c.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table'",
    )
    .all()
  for (const column of columns) {
    const [table, name] = [`"${String(column['table'])}"`, `"${String(column['name'])}"`]
    const isTime = `typeof(${name}) = 'integer' AND ${name} > ${since}`
    database.exec(`UPDATE ${table} SET ${name} = ${name} - ${ms} WHERE ${isTime}`)
  }
  return workspace
}

/** Calls an operation of a service in this process as its owner. @throws if it is refused */
export function caller(service: Service) {
  return async <E extends Declared>(
    endpoint: E,
    params: Record<string, string> = {},
    body?: object,
  ): Promise<OutputOf<E>> => {
    const url = `http://bench.invalid${API_PREFIX}${fillPath(endpoint.path, params)}`
    const headers = { authorization: `Bearer ${service.localKey}` }
    const init = { method: endpoint.method, headers, ...(body && { body: JSON.stringify(body) }) }
    const response = await service.fetch(new Request(url, init))
    const answer: unknown = await response.json()
    if (!response.ok) throw new Error(`${endpoint.operation}: ${response.status} ${JSON.stringify(answer)}`)
    return endpoint.response.parse(answer) as OutputOf<E>
  }
}

function only<T>(items: readonly T[]): T {
  const [item] = items
  if (item === undefined || items.length > 1) throw new Error(`expected one, found ${items.length}`)
  return item
}
