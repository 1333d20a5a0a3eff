import { ApiError } from '../../api/client/errors/api-error.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { FileChanges } from '../../lib/files/watch-files.ts'
import { outcomeOfRun } from '../runs/outcome.ts'
import { trialState } from '../runs/trials.ts'
import type { ServerLook, WatchedTools } from './watched-tools.ts'

/** Runs of one launch, which have ended or were stopped. */
export type WatchedRuns = { runs: readonly EvalRun[]; trials: readonly EvalIteration[] }

/** The events while a suite is watched, in order. */
export type WatchStep =
  | { kind: 'waiting' }
  | { kind: 'changed'; files: readonly string[] }
  | { kind: 'looked'; looks: readonly ServerLook[] }
  /** Cases are running; without ids all of them. */
  | { kind: 'running'; caseIds: readonly string[] }
  | ({ kind: 'ended'; isWhole: boolean; isPassed: boolean } & WatchedRuns)
  /** A launch was refused, or its outcome is unknown. */
  | { kind: 'refused'; error: ApiError }
  /** No more runs are launched, because the limit is reached. */
  | { kind: 'spent' }

export type WatchOptions = {
  changes: Pick<FileChanges, 'next'>
  tools: WatchedTools
  /**
   * Launches these cases, or all, and resolves when they have ended. Aborting the signal cancels them. Undefined if
   * nothing was launched.
   */
  run: (caseIds: readonly string[], outdated: AbortSignal) => Promise<WatchedRuns | undefined>
  report: (step: WatchStep) => void
  /** Ends it. */
  signal: AbortSignal
  /** Maximum number of launches; undefined = any number. */
  mostRuns?: number | undefined
}

/**
 * Maximum number of runs cancelled in a row. Without it, a server that writes to a watched folder would never complete
 * a run.
 */
const MOST_CANCELLED = 5
const NEVER = new AbortController().signal

/**
 * Runs a suite now and whenever files change, until the signal aborts. It restarts the servers, then runs the cases
 * that failed. It runs all cases once these pass or if tools have changed. A change during a run cancels it, but only a
 * limited number of times.
 * @throws WatchError or ApiError if it cannot continue
 */
export async function watchSuite(options: WatchOptions): Promise<void> {
  const { changes, tools, report, signal } = options
  const state: State = { failed: [], isWholeDue: true, launched: 0, cancelled: 0 }
  const stopped = untilAborted(signal)
  for (;;) {
    const outdated = new AbortController()
    const changed = changes.next().finally(() => outdated.abort())
    // A run in progress is notified by the signal.
    changed.catch(() => {})
    const looks = await tools.look(AbortSignal.any([signal, outdated.signal]))
    if (signal.aborted) return
    report({ kind: 'looked', looks })
    if (looks.some(look => 'changes' in look && look.changes.length > 0)) state.isWholeDue = true
    const isReady = looks.every(look => !('error' in look))
    if (isReady && !(await runCases(state, options, outdated.signal))) return report({ kind: 'spent' })
    if (signal.aborted) return
    if (!outdated.signal.aborted) report({ kind: 'waiting' })
    const files = await Promise.race([changed, stopped])
    if (!files) return
    report({ kind: 'changed', files })
  }
}

type State = {
  /** Ids of the cases that did not pass last time. */
  failed: readonly string[]
  /** Whether all cases are to run. */
  isWholeDue: boolean
  launched: number
  /** Number of runs that were cancelled since the last one that ended. */
  cancelled: number
}

/** Runs the due cases. Returns false if no more runs may be launched. */
async function runCases(state: State, options: WatchOptions, outdated: AbortSignal): Promise<boolean> {
  const { tools, run, report, signal, mostRuns } = options
  let isReady = true
  while (isReady && !outdated.aborted && !signal.aborted) {
    const caseIds = state.isWholeDue ? [] : state.failed
    if (state.launched === mostRuns) return false
    state.launched += 1
    report({ kind: 'running', caseIds })
    const isPatient = state.cancelled === MOST_CANCELLED
    const ended = await launch(run, caseIds, isPatient ? NEVER : outdated, report)
    if (!ended || signal.aborted) break
    state.cancelled = outdated.aborted && !isPatient ? state.cancelled + 1 : 0
    if (state.cancelled > 0) break
    const isWhole = caseIds.length === 0
    state.failed = failedCases(ended)
    const isPassed = hasPassed(ended)
    report({ kind: 'ended', isWhole, isPassed, ...ended })
    const isClean = isPassed && state.failed.length === 0 && !outdated.aborted
    if (isWhole && isClean) tools.passed()
    isReady = !isWhole && isClean
    state.isWholeDue = isReady || outdated.aborted
  }
  return true
}

async function launch(
  run: WatchOptions['run'],
  caseIds: readonly string[],
  outdated: AbortSignal,
  report: WatchOptions['report'],
): Promise<WatchedRuns | undefined> {
  try {
    return await run(caseIds, outdated)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    report({ kind: 'refused', error })
    return undefined
  }
}

function hasPassed({ runs }: WatchedRuns): boolean {
  return runs.length > 0 && runs.every(each => outcomeOfRun(each) === 'passed')
}

function untilAborted(signal: AbortSignal): Promise<undefined> {
  return new Promise(resolve => {
    if (signal.aborted) resolve(undefined)
    else signal.addEventListener('abort', () => resolve(undefined), { once: true })
  })
}

/** Returns ids of the cases that are to run again. */
function failedCases({ trials }: WatchedRuns): string[] {
  const open = trials.filter(trial => trialState(trial) !== 'passed')
  return [...new Set(open.flatMap(({ testCaseId }) => testCaseId ?? []))]
}
