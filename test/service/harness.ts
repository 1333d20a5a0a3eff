import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, type TestContext } from 'vitest'
import { API_PREFIX, contract } from '../../src/api/contract/contract.ts'
import { fillPath, pathParameters, type EndpointDeclaration, type OutputOf } from '../../src/api/contract/endpoint.ts'
import { ErrorBody } from '../../src/api/client/transport/response.ts'
import { isTerminalRunStatus, type EvalRun } from '../../src/api/contract/runs.ts'
import { createService, type Service, type ServiceOptions } from '../../src/service/workspace/service.ts'
import type { LogEntry } from '../../src/service/core/pipeline.ts'
import { checked } from '../contract/checked-answers.ts'
import { putNewWorkspace } from '../new-workspace.ts'
import { pauseAfter, untilNextLook } from '../pause.ts'

type Input = Record<string, unknown>
type Extra = { key?: string; headers?: Record<string, string>; signal?: AbortSignal }
type Declared = EndpointDeclaration & { path: string }

/** A caller of one service; every answer is checked against the contract's declarations. */
export type Api = {
  fetch: (request: Request) => Promise<Response>
  key: string
  /** The raw answer to a declared operation. */
  send(endpoint: Declared, input?: Input, extra?: Extra): Promise<Response>
  /** Returns the parsed answer; any failure of the request fails the test. */
  call<E extends Declared>(endpoint: E, input?: Input, extra?: Extra): Promise<OutputOf<E>>
  /** Returns the refusal; a success fails the test. */
  refused(endpoint: Declared, input?: Input, extra?: Extra): Promise<ErrorBody & { status: number; headers: Headers }>
}

/** Cleans up after a test. Only the context of a test knows which of several concurrent tests it is. */
export type Ending = Pick<TestContext, 'onTestFinished'>
export const withRunningTest: Ending = { onTestFinished }

/** Creates a directory that is removed after the test. */
export function temporaryDirectory(ending = withRunningTest): string {
  const path = mkdtempSync(join(tmpdir(), 'mcpdeck-service-'))
  ending.onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/**
 * Opens a service that closes with the test. Its internal errors fail the test unless the test takes the log itself.
 */
export async function open(
  options: Partial<ServiceOptions> & { dataDir?: string } = {},
  ending = withRunningTest,
): Promise<Service & { api: Api }> {
  const failures: unknown[] = []
  const log = (entry: LogEntry) => {
    if (entry.kind === 'failure' || entry.status >= 500) failures.push(entry.error)
  }
  const dataDir = options.dataDir ?? temporaryDirectory(ending)
  if (options.dataDir === undefined) await putNewWorkspace(dataDir, options)
  const service = await createService({ log, ...options, dataDir })
  ending.onTestFinished(async () => {
    await service.close()
    expect(failures).toEqual([])
  })
  const fetch = checked(service.fetch)
  return { ...service, fetch, answer: checked(service.answer), api: createApi(fetch, service.localKey) }
}

export function createApi(fetch: Api['fetch'], key: string, base = `http://local.test${API_PREFIX}`): Api {
  const send: Api['send'] = (endpoint, input = {}, extra = {}) => {
    const { body, ...rest } = input
    const names = new Set(pathParameters(endpoint.path))
    const url = new URL(base + fillPath(endpoint.path, rest))
    for (const [name, value] of Object.entries(rest)) if (!names.has(name)) url.searchParams.set(name, String(value))
    const headers = { authorization: `Bearer ${extra.key ?? key}`, ...extra.headers }
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return fetch(
      new Request(url, {
        method: endpoint.method,
        headers,
        ...(body !== undefined && { body: text }),
        ...(extra.signal && { signal: extra.signal }),
      }),
    )
  }
  return {
    fetch,
    key,
    send,
    async call<E extends Declared>(endpoint: E, input?: Input, extra?: Extra) {
      const response = await send(endpoint, input, extra)
      const body: unknown = await response.json()
      expect({ status: response.status, body }).toMatchObject({ status: endpoint.status ?? 200 })
      return endpoint.response.parse(body) as OutputOf<E>
    },
    async refused(endpoint, input, extra) {
      const response = await send(endpoint, input, extra)
      const body: unknown = await response.json()
      expect({ ok: response.ok, body }).toMatchObject({ ok: false })
      return { ...ErrorBody().parse(body), status: response.status, headers: response.headers }
    },
  }
}

/** The sandbox project of a new workspace. */
export async function sandbox(api: Api): Promise<{ projectId: string; suiteId: string; serverId: string }> {
  const projectId = (await api.call(contract.projects.list)).items[0]!.id
  const suiteId = (await api.call(contract.suites.list, { projectId })).items[0]!.id
  const serverId = (await api.call(contract.servers.list, { projectId })).items[0]!.id
  return { projectId, suiteId, serverId }
}

/** Repeats a request until the answer meets the condition; the test's own timeout is the limit. */
export async function until<T>(ask: () => Promise<T> | T, wanted: (answer: T) => boolean): Promise<T> {
  const began = performance.now()
  for (;;) {
    const answer = await ask()
    if (wanted(answer)) return answer
    await untilNextLook(pauseAfter(performance.now() - began))
  }
}

export function untilEnded(api: Api, projectId: string, runId: string): Promise<EvalRun> {
  return until(
    () => api.call(contract.runs.get, { projectId, runId }),
    run => isTerminalRunStatus(run.status),
  )
}

/** A case that calls the reference server's long operation. */
export function longCase(title: string, seconds: number) {
  const args = { duration: seconds, steps: 1 }
  const step = { id: 'long', serverName: 'everything', toolName: 'trigger-long-running-operation', arguments: args }
  return { title, steps: [{ ...step, kind: 'toolCall' as const }] }
}

/** A case that calls echo and expects a text in the answer. */
export function echoCase(title: string, message: string, wanted = message) {
  return {
    title,
    steps: [
      { id: 'echo', kind: 'toolCall' as const, serverName: 'everything', toolName: 'echo', arguments: { message } },
      { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains' as const, needle: wanted } },
    ],
  }
}
