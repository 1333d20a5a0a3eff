import { plural } from '../../lib/format.ts'
import { createListeners } from '../../lib/listeners.ts'
import type { Client } from '../../api/client/client.ts'
import { isConflict } from '../../api/client/errors/api-error.ts'
import { failureSentence, unquotedMessage } from '../../api/client/errors/error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import { newIdempotencyKey } from '../../api/contract/endpoint.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuiteDetail } from '../../api/contract/suites.ts'
import { watchFiles, WatchError } from '../../lib/files/watch-files.ts'
import type { Stored } from '../../lib/files/profile-store.ts'
import { livePause } from '../polling/cadence.ts'
import { trialState } from '../runs/trials.ts'
import { changeLines, filesLabel } from './labels.ts'
import { watchSuite, type WatchedRuns, type WatchStep } from './watch-suite.ts'
import { lastPassOf, serversOf } from './watched-suite.ts'
import { patternsIn, withPattern, type WatchPatterns } from './watch-patterns.ts'
import { createWatchedTools, type WatchedTools } from './watched-tools.ts'

/** The state of a watched suite. `broken` means that nothing could be run. */
export type WatchState = 'starting' | 'running' | 'passed' | 'failed' | 'broken'

/** A suite that runs again when files change. */
export type Watch = {
  projectId: string
  suiteId: string
  name: string
  state: WatchState
  /** The latest run that the watch launched. */
  runId?: string
  /** The latest events as sentences for people. */
  says: readonly string[]
}

/** The suites that are watched in this process. */
export type Watches = {
  /** Returns the same array until something changes. */
  list(): readonly Watch[]
  start(watch: { projectId: string; suite: EvalSuiteDetail; pattern: string; mostRuns: number | undefined }): void
  /** Stops watching a suite. Runs that were launched continue. */
  stop(suiteId: string): void
  /** Returns the pattern that was last watched for a suite. */
  patternOf(suiteId: string): string | undefined
  subscribe(listener: () => void): () => void
  /** Calls back with how each round ended, and with why a suite is no longer watched. */
  onEnd(listener: (watch: Watch) => void): () => void
  close(): void
}

export function createWatches(client: Client, patterns: Stored<WatchPatterns>): Watches {
  const stops = new Map<string, AbortController>()
  const { subscribe, notify } = createListeners()
  const endListeners = new Set<(watch: Watch) => void>()
  let watches: readonly Watch[] = []
  const set = (next: readonly Watch[]): void => {
    watches = next
    notify()
  }
  const update = (suiteId: string, change: Partial<Watch>): void => {
    set(watches.map(watch => (watch.suiteId === suiteId ? { ...watch, ...change } : watch)))
    const watch = watches.find(each => each.suiteId === suiteId)
    if (watch && ENDS.has(change.state)) for (const listener of endListeners) listener(watch)
  }
  const end = (suiteId: string): void => {
    stops.get(suiteId)?.abort()
    stops.delete(suiteId)
    set(watches.filter(watch => watch.suiteId !== suiteId))
  }

  const work = async (
    { projectId, suite, pattern, mostRuns }: Parameters<Watches['start']>[0],
    signal: AbortSignal,
  ): Promise<void> => {
    const suiteId = suite.id
    const servers = await serversOf(client, projectId, suite, { environmentIds: [], clientIds: [], serverIds: [] })
    const tools = createWatchedTools(client, { projectId, servers }, await lastPassOf(client, projectId, suiteId))
    const changes = await watchFiles(patternsIn(pattern))
    const started = (runId: string): void => update(suiteId, { runId })
    try {
      await watchSuite({
        changes,
        tools,
        signal,
        mostRuns,
        run: (caseIds, outdated) => runCases(client, { projectId, suiteId, caseIds }, { outdated, signal, started }),
        report: step => update(suiteId, standing(step, tools)),
      })
    } finally {
      await changes.close()
    }
  }

  return {
    list: () => watches,
    start(watch) {
      const { projectId, suite, pattern } = watch
      const stop = new AbortController()
      stops.set(suite.id, stop)
      patterns.change(before => withPattern(before, suite.id, pattern))
      const name = suite.name ?? suite.id
      set([...watches, { projectId, suiteId: suite.id, name, state: 'starting', says: [] }])
      work(watch, stop.signal).then(
        () => stops.get(suite.id) === stop && end(suite.id),
        error => {
          if (stops.get(suite.id) !== stop) return
          const why = error instanceof WatchError ? error.message : failureSentence(error)
          update(suite.id, { state: 'broken', says: [`${why} It is no longer watched.`] })
          end(suite.id)
        },
      )
    },
    stop: end,
    patternOf: suiteId => patterns.get().get(suiteId),
    subscribe,
    onEnd(listener) {
      endListeners.add(listener)
      return () => endListeners.delete(listener)
    },
    close() {
      for (const suiteId of stops.keys()) end(suiteId)
    },
  }
}

const ENDS: ReadonlySet<WatchState | undefined> = new Set(['passed', 'failed', 'broken'] as const)

/** Milliseconds of the first pause of a local run. It grows to the usual one. */
const FIRST_PAUSE_MS = 50

/**
 * Launches once and follows to the end. An outdated run is cancelled. A run that nobody waits for any more continues.
 */
async function runCases(
  client: Client,
  { projectId, suiteId, caseIds }: { projectId: string; suiteId: string; caseIds: readonly string[] },
  { outdated, signal, started }: { outdated: AbortSignal; signal: AbortSignal; started: (runId: string) => void },
): Promise<WatchedRuns> {
  const body = { suiteId, ...(caseIds.length > 0 && { caseIds: [...caseIds] }) }
  const key = { idempotencyKey: newIdempotencyKey(), signal }
  const { runId } = await client.call(contract.runs.create, { projectId, body }, key)
  started(runId)
  const stopPolling = client.budget.startPolling()
  try {
    let isCancelled = false
    for (let pause = FIRST_PAUSE_MS; ; pause *= 2) {
      if (outdated.aborted && !isCancelled) {
        isCancelled = true
        await client.runs.cancel({ projectId, runId }).catch(ignoreConflict)
      }
      const run = await client.runs.get({ projectId, runId }, { signal })
      if (isTerminalRunStatus(run.status)) return { runs: [run], trials: await trialsOf(client, projectId, run) }
      const snapshot = client.budget.snapshot()
      const usual = livePause(snapshot, 1)
      await paused(
        snapshot.unlimited ? Math.min(usual, pause) : usual,
        outdated.aborted ? [signal] : [signal, outdated],
      )
    }
  } finally {
    stopPolling()
  }
}

function ignoreConflict(error: unknown): void {
  if (!isConflict(error)) throw error
}

function trialsOf(client: Client, projectId: string, { id: runId, status }: EvalRun) {
  return status === 'cancelled' ? [] : client.items(contract.iterations.list, { projectId, runId })
}

/** Pauses, but ends early with any of the signals. */
function paused(ms: number, signals: readonly AbortSignal[]): Promise<void> {
  return new Promise(resolve => {
    const over = (): void => {
      clearTimeout(timer)
      for (const signal of signals) signal.removeEventListener('abort', over)
      resolve()
    }
    const timer = setTimeout(over, ms)
    for (const signal of signals) signal.addEventListener('abort', over)
  })
}

/** Returns how a step changes the state of the suite. */
function standing(step: WatchStep, tools: WatchedTools): Partial<Watch> {
  switch (step.kind) {
    case 'waiting':
      return {}
    case 'changed':
      return { state: 'running', says: [filesLabel(step.files)] }
    case 'looked': {
      const errors = step.looks.flatMap(look =>
        'error' in look ? [unquotedMessage(look.error) ?? failureSentence(look.error)] : [],
      )
      return errors.length > 0 ? { state: 'broken', says: errors } : { says: step.looks.flatMap(changeLines) }
    }
    case 'running':
      return { state: 'running' }
    case 'refused':
      return { state: 'broken', says: [failureSentence(step.error)] }
    case 'spent':
      return { state: 'broken', says: ['All runs that were agreed to are used up; it is no longer watched.'] }
    case 'ended':
      return endOf(step, tools)
  }
}

function endOf(
  { isWhole, isPassed, trials }: Extract<WatchStep, { kind: 'ended' }>,
  tools: WatchedTools,
): Partial<Watch> {
  const failing = trials.filter(trial => trialState(trial) !== 'passed')
  if (failing.length === 0 && isPassed)
    return isWhole ? { state: 'passed', says: [`${plural(trials.length, 'trial')} passed.`] } : {}
  const [first] = failing
  const causes = first ? tools.causesOf(first) : []
  const why = causes[0] ?? first?.error ?? 'no reason is given'
  const others = failing.length > 1 ? `; ${failing.length - 1} more failed` : ''
  return { state: isPassed ? 'passed' : 'failed', says: [`${first?.title ?? 'The run'}: ${why}${others}.`] }
}
