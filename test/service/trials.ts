import type { EvalTestStep } from '../../src/api/contract/eval-shapes.ts'
import { ServiceError } from '../../src/service/core/errors.ts'
import { runTrial, type TrialRequest } from '../../src/service/evals/trial.ts'
import type { CaseSnapshot, TrialServers } from '../../src/service/evals/types.ts'

/** A tool of the servers in trials of tests. */
export type Tool = (args: Record<string, unknown>, signal: AbortSignal) => unknown

export const text = (value: string) => ({ content: [{ type: 'text', text: value }] })

/** How a server can handle a call: answer, refuse, break, time out or stay silent. */
export const TOOLS: Record<string, Tool> = {
  echo: ({ message }) => text(String(message)),
  broken: () => ({ ...text('no such city'), isError: true }),
  unknown: () => {
    throw new ServiceError('VALIDATION_ERROR', 'answered tools/call with error -32602: Unknown tool', {
      details: { protocolError: { code: -32602, message: 'Unknown tool' } },
    })
  },
  gone: () => {
    throw new ServiceError('SERVER_UNREACHABLE', 'The server "one" closed the connection.')
  },
  locked: () => {
    throw new ServiceError('OAUTH_REQUIRED', 'The server "one" asks for authorization (HTTP 401).')
  },
  slow: () => {
    throw new ServiceError('TIMEOUT', 'The server "one" did not answer within 30 s.')
  },
  bug: () => {
    throw new TypeError('undefined is not a function')
  },
  silent: () => new Promise(() => {}),
}

/** Servers with these names, all with the same tools, and the calls that they received. */
export function serversOf(names: string[] = ['one'], tools: Record<string, Tool> = TOOLS) {
  const called: string[] = []
  const servers: TrialServers = {
    names,
    listTools: async () => Object.keys(tools).map(name => ({ name })),
    async callTool(serverName, toolName, args, signal) {
      called.push(`${serverName}/${toolName}`)
      const result = (await tools[toolName]?.(args, signal)) as Record<string, unknown>
      return { result, durationMs: 3 }
    },
  }
  return { servers, called }
}

export const step = (kind: EvalTestStep['kind'], fields: object = {}, id = `${kind}-${JSON.stringify(fields)}`) => ({
  id,
  kind,
  ...fields,
})
export const toolCall = (toolName: string, args: Record<string, unknown> = {}, serverName?: string) =>
  step('toolCall', { toolName, arguments: args, ...(serverName && { serverName }) })
export const assert = (assertion: object) => step('assert', { assertion })
export const contains = (needle: string) => assert({ type: 'responseContains', needle })

const snapshot = (steps: EvalTestStep[], rest: Partial<CaseSnapshot> = {}): CaseSnapshot => ({
  caseId: 'case_1',
  caseKey: 'first',
  title: 'First',
  steps,
  iterations: 1,
  isNegative: false,
  checks: [],
  ...rest,
})

/** Runs a trial of these steps; everything else has a default. */
export const run = (steps: EvalTestStep[], rest: Partial<CaseSnapshot> = {}, request: Partial<TrialRequest> = {}) =>
  runTrial({
    case: snapshot(steps, rest),
    servers: serversOf().servers,
    signal: new AbortController().signal,
    ...request,
  })
