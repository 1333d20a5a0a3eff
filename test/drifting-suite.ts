import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '../src/api/client/client.ts'
import type { InputOf } from '../src/api/contract/endpoint.ts'
import type { contract } from '../src/api/contract/contract.ts'
import { isTerminalRunStatus, type EvalRun } from '../src/api/contract/runs.ts'
import { until } from './service/harness.ts'

const SERVER = join(import.meta.dirname, 'servers/stdio-server.mjs')

type Body<E> = InputOf<E> extends { body: infer B } ? B : never
type Tests = NonNullable<Body<typeof contract.runs.create>['tests']>

/** A case that calls `get-sum` of the server and expects its result. */
function sumCase(title: string, a: number, b: number): Tests[number] {
  const assertion = { type: 'responseContains', needle: `The sum is ${a + b}.` }
  return {
    title,
    runs: 1,
    model: 'none',
    provider: 'none',
    steps: [
      { id: 'call', kind: 'toolCall', serverName: 'sums', toolName: 'get-sum', arguments: { a, b } },
      { id: 'text', kind: 'assert', assertion },
    ],
  }
}

const PID: Tests[number] = {
  title: 'has a process',
  runs: 1,
  model: 'none',
  provider: 'none',
  steps: [
    { id: 'call', kind: 'toolCall', serverName: 'sums', toolName: 'pid', arguments: {} },
    { id: 'text', kind: 'assert', assertion: { type: 'responseContains', needle: 'pid' } },
  ],
}

/** A suite of four cases on a server whose schema of `get-sum`, which three of them call, can change at any moment. */
export type DriftingSuite = {
  suiteId: string
  /** The first run, which passed. */
  runId: string
  /** Changes the first number of `get-sum` to a text, or back to a number. */
  drift: (drifted: boolean) => void
}

/** Saves server and suite, and waits for the first run. `folder` contains the switch of the server. */
export async function createDriftingSuite(
  client: Pick<Client, 'servers' | 'runs'>,
  projectId: string,
  folder: string,
): Promise<DriftingSuite> {
  const file = join(folder, 'drifted')
  const body = {
    name: 'sums',
    enabled: true,
    transportType: 'stdio' as const,
    command: process.execPath,
    args: [SERVER, 'drifts', file],
  }
  const { id } = await client.servers.create({ projectId, body })
  const tests = [
    sumCase('adds small numbers', 2, 2),
    sumCase('adds large numbers', 2_000, 40),
    sumCase('adds nothing', 7, 0),
    PID,
  ]
  const launched = await client.runs.create({ projectId, body: { suiteName: 'nightly', serverIds: [id], tests } })
  await runEnded(client, projectId, launched.runId)
  return {
    suiteId: launched.suiteId,
    runId: launched.runId,
    drift: drifted => (drifted ? writeFileSync(file, '') : rmSync(file, { force: true })),
  }
}

/** Resolves with the run when it has ended. */
export function runEnded(client: Pick<Client, 'runs'>, projectId: string, runId: string): Promise<EvalRun> {
  return until(
    () => client.runs.get({ projectId, runId }),
    run => isTerminalRunStatus(run.status),
  )
}
