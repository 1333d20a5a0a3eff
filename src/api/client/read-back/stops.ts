import { isTerminalConnectionStatus } from '../../contract/connections.ts'
import { contract } from '../../contract/contract.ts'
import type { AnyEndpoint, InputOf } from '../../contract/endpoint.ts'
import { isTerminalRunStatus, runName } from '../../contract/runs.ts'
import {
  asFields,
  type Fields,
  pathInput,
  type ReadBack,
  type ReadBackAnswer,
  type ReadBackContext,
  single,
  UNKNOWN,
  unlessMissing,
} from './lookups.ts'

/** The state of something that was to be stopped. */
type Progress = {
  /** Name and state, as in "run #3 is running". */
  words: string
  isEnded: boolean
  /** Whether it was stopped, by this write or another. */
  isStopped: boolean
}

const { runs, journeyRuns, readiness, connections, waveInsights, userTestingInsights } = contract

/** Reads back writes that stop something with a state of its own, by operation. */
export const stops: Readonly<Record<string, ReadBack>> = {
  [runs.cancel.operation]: stopReadBack(async ({ client, entry, options }) => {
    const { projectId, runId } = entry.input as InputOf<typeof runs.cancel>
    const run = await client.runs.get({ projectId, runId }, options)
    return stateOf(runName(run), run.status, isTerminalRunStatus)
  }),
  [journeyRuns.cancel.operation]: stopReadBack(async context => {
    const { status, canceled } = await read(context, journeyRuns.get)
    return { words: `the run is ${String(status)}`, isEnded: status !== 'running', isStopped: canceled === true }
  }),
  [readiness.cancel.operation]: stopReadBack(async context => {
    const { status } = await read(context, readiness.get)
    return stateOf('the run', String(status), state => state !== 'pending' && state !== 'running')
  }),
  [connections.cancel.operation]: stopReadBack(async context => {
    const { status } = await read(context, connections.get)
    return stateOf('the request', String(status), isTerminalConnectionStatus)
  }),
  [waveInsights.cancel.operation]: async context => analysisEnd(await single(waveInsights.get)(context)),
  [userTestingInsights.cancel.operation]: async ({ client, entry, options }) => {
    const { projectId, scenarioId, body } = entry.input as InputOf<typeof userTestingInsights.cancel>
    const window = { projectId, scenarioId, windowId: body.windowId }
    return analysisEnd(await unlessMissing(client.userTestingInsights.get(window, options)))
  },
}

/** Reads back a stop. What has ended by itself can no longer be stopped, so there is nothing to decide. */
function stopReadBack(progressOf: (context: ReadBackContext) => Promise<Progress>): ReadBack {
  return async context => {
    const { words, isEnded, isStopped } = await progressOf(context)
    if (isStopped) return { finding: 'happened', because: words }
    return isEnded
      ? { finding: 'did-not-happen', because: words, isOver: true }
      : { finding: 'did-not-happen', because: words.replace(' is ', ' is still ') }
  }
}

function stateOf(what: string, state: string, isEnded: (state: string) => boolean): Progress {
  return { words: `${what} is ${state}`, isEnded: isEnded(state), isStopped: state === 'cancelled' }
}

/**
 * Reads back a cancelled analysis. If it is not pending, it was cancelled or has ended by itself, which the result of
 * an earlier analysis may hide.
 */
function analysisEnd(analysis: Fields | undefined): ReadBackAnswer {
  if (!analysis) return { finding: 'happened', because: 'no analysis is there' }
  const { status } = analysis
  if (typeof status !== 'string') return UNKNOWN
  if (status === 'pending') return { finding: 'did-not-happen', because: 'the analysis is still pending' }
  return { finding: 'cannot-be-known', because: `no analysis is pending; the last one is ${status}`, isOver: true }
}

async function read({ client, entry, options }: ReadBackContext, endpoint: AnyEndpoint): Promise<Fields> {
  return asFields(await client.call(endpoint, pathInput(endpoint, entry), options))
}
