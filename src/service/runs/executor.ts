import { setImmediate } from 'node:timers/promises'
import { defined } from '../../lib/json.ts'
import { withoutKnown } from '../../lib/redaction/redaction.ts'
import type { Connections } from '../connections/engine.ts'
import { frameOrigin } from '../connections/traffic.ts'
import { settingCredentials } from '../connections/setting-secrets.ts'
import type { AccessToken, ServerTarget, Tool } from '../connections/types.ts'
import { runTrial } from '../evals/trial.ts'
import type { TrialModels } from '../evals/trial-prompt.ts'
import type { CaseSnapshot, TrialOutcome, TrialServers } from '../evals/types.ts'
import type { ModelSettings } from '../models/endpoint.ts'
import { createTrialModels } from '../conversations/model-turn.ts'
import type { Store } from '../core/database/store.ts'
import type { TrialRow } from './trial-rows.ts'
import { createTrialServers } from '../evals/trial-servers.ts'
import { toSeenTools, type SeenTools } from '../evals/seen-tools.ts'

/** What the execution of a run needs beyond the stored run. */
export type RunExecution = {
  runId: string
  targets: ServerTarget[]
  /** The caller's keys by provider, kept only during the execution and never stored. */
  modelApiKeys?: Readonly<Record<string, string>>
}

/** Executes the trials of started runs, in this thread or in another. */
export type Executor = {
  /**
   * Resolves when every trial has ended, or after the run was ended.
   * @throws if a trial cannot be recorded; {@link ExecutionLost}
   */
  execute(execution: RunExecution, signal: AbortSignal): Promise<void>
  /** Ends the sessions of a server that was changed, disabled or deleted, once their work is done. */
  drop(serverId: string): void
  /** Records that someone is reading the traffic between runs and a server. */
  watch(serverId: string): void
  /**
   * Ends what the executor itself started. Unfinished executions fail with {@link ExecutionLost}, and no more are
   * accepted.
   */
  close(): Promise<void>
}

/** Thrown if the remaining trials will never end. Readers of the run see the message as the reason. */
export class ExecutionLost extends Error {
  override readonly name = 'ExecutionLost'
}

export type ExecutionSettings = {
  /** Maximum number of concurrent trials of one run. */
  trialConcurrency: number
  /** Whether calls to one server wait for each other, because some servers do not support concurrent calls. */
  serialServers: boolean
  /** Time limit of one trial in milliseconds; undefined for the default. */
  trialDeadlineMs: number | undefined
  models: ModelSettings | undefined
}

export type TrialStore = Pick<Store, 'write'> & {
  runs: Pick<Store['runs'], 'cases'>
  trials: Pick<Store['trials'], 'list' | 'begin' | 'end'>
  runTools: Pick<Store['runTools'], 'record' | 'noteStarted'>
}

type Resources = ExecutionSettings & { store: TrialStore; connections: Pick<Connections, 'separate'> }

/** Creates an executor in this thread. Its caller closes the connections. */
export function createExecutor(resources: Resources): Executor {
  return {
    execute: (execution, signal) => executeTrials(resources, execution, signal),
    drop() {},
    watch() {},
    async close() {},
  }
}

/** Runs all trials, a few at a time. If a trial cannot be recorded, the others are stopped. */
async function executeTrials(
  resources: Resources,
  { runId, targets, modelApiKeys }: RunExecution,
  signal: AbortSignal,
): Promise<void> {
  const { store, trialConcurrency } = resources
  const cases = store.runs.cases(runId)
  const trials = store.trials.list(runId)
  const waiting = trials.values()
  // A trial stores texts of servers, and reports about it may be published.
  const hidden = targets.flatMap(({ transport }) => settingCredentials(transport))
  // Called with the token before each request.
  const note = (token: string) => hidden.push(...settingCredentials({}, token).filter(each => !hidden.includes(each)))
  const reached = targets.map(target => withNotedTokens(target, note))
  const others = new AbortController()
  const stopped = AbortSignal.any([signal, others.signal])
  // Server programs that already run may be older than those on disk.
  const sessions = resources.connections.separate(session => {
    const started = withoutKnown(session, hidden)
    try {
      store.write(() => store.runTools.noteStarted(runId, started))
    } catch {
      // The record is only additional evidence. If the disk is full, the writes of the trials report it.
    }
  })
  const { serialServers } = resources
  const servers = recordTools(createTrialServers(reached, { connections: sessions, serialServers }), {
    record: listing => store.write(() => store.runTools.record(runId, listing)),
    signal: stopped,
  })
  const work: Work = {
    runId,
    cases,
    waiting,
    again: [],
    hidden,
    servers,
    models: () => modelsOf(modelApiKeys, resources),
    signal: stopped,
    stop: () => others.abort(),
  }
  const worker = async () => {
    try {
      await runTrials(resources, work)
    } catch (error) {
      work.stop()
      throw error
    }
  }
  const workers = Array.from({ length: Math.min(trialConcurrency, trials.length) }, worker)
  const ends = await Promise.allSettled(workers)
  const [again] = await Promise.allSettled([runAgain(resources, work)])
  await untilSettled(servers, others)
  sessions.end()
  const broken = [...ends, again].find(result => result.status === 'rejected')
  if (broken) throw broken.reason
}

/** Reports each token before it is sent, since tokens may be renewed during a run. */
function withNotedTokens(target: ServerTarget, note: (token: string) => void): ServerTarget {
  const { transport } = target
  if (transport.type !== 'http' || !transport.accessToken) return target
  const { accessToken, renewedToken } = transport
  const noted = async (asked: Promise<AccessToken | undefined>) => {
    const token = await asked
    if (token) note(token.value)
    return token
  }
  const functions = {
    accessToken: () => noted(accessToken()),
    ...(renewedToken && { renewedToken: (refused: string) => noted(renewedToken(refused)) }),
  }
  return { ...target, transport: { ...transport, ...functions } }
}

/** Milliseconds for which an ended run waits for the listing of a server that has not answered yet. */
const LISTING_GRACE_MS = 2_000

async function untilSettled(servers: RecordedServers, others: AbortController): Promise<void> {
  const timer = setTimeout(() => others.abort(), LISTING_GRACE_MS)
  await servers.settled()
  clearTimeout(timer)
}

type Work = {
  runId: string
  cases: readonly CaseSnapshot[]
  waiting: Iterator<TrialRow>
  /** Trials that ended because a server that they shared broke. Only one of them caused it. */
  again: { trial: TrialRow; error: string }[]
  /** Secrets that must not be stored with the trials. Grading uses the original results. */
  hidden: readonly string[]
  servers: TrialServers
  models: () => TrialModels | undefined
  signal: AbortSignal
  /** Stops all workers of this run. */
  stop: () => void
}

/** Runs trials until none is left. The end of one and the beginning of the next are stored in one write. */
async function runTrials({ store, trialDeadlineMs }: Resources, work: Work): Promise<void> {
  const { waiting, signal } = work
  let ended: { id: string; outcome: TrialOutcome } | undefined
  while (!signal.aborted) {
    const next = waiting.next()
    const trial = next.done ? undefined : next.value
    const goesOn = store.write(() => {
      const recorded = !ended || store.trials.end(ended.id, ended.outcome)
      return recorded && (!trial || store.trials.begin(trial.id, Date.now()))
    })
    // Another process has ended the run or one of its trials, for example by cancelling the run.
    if (!goesOn) return work.stop()
    if (!trial) return
    const outcome = await execute(trial, work, trialDeadlineMs)
    if (!outcome) return
    if (outcome.brokeBesideOthers) work.again.push({ trial, error: outcome.error ?? '' })
    ended = outcome.brokeBesideOthers ? undefined : { id: trial.id, outcome }
  }
}

/** Runs each trial whose server broke again, alone. The trial that caused it breaks its server again. */
async function runAgain({ store, trialDeadlineMs }: Resources, work: Work): Promise<void> {
  for (const { trial, error } of work.again) {
    if (work.signal.aborted) return
    const outcome = await execute(trial, work, trialDeadlineMs)
    if (!outcome) return
    if (!store.write(() => store.trials.end(trial.id, { ...outcome, ranAgainAfter: error }))) return work.stop()
  }
}

/** Returns the outcome of a trial without secrets; undefined if its case is gone. */
async function execute(trial: TrialRow, work: Work, deadlineMs: number | undefined): Promise<TrialOutcome | undefined> {
  const { runId, cases, hidden, servers, models, signal } = work
  const snapshot = cases[trial.casePosition]
  if (!snapshot) return undefined
  // Lets other work of the thread run between two trials, however fast they are.
  await setImmediate()
  const outcome = await frameOrigin.run({ runId, caseTitle: snapshot.title }, () =>
    runTrial({ case: snapshot, servers, signal, models: models(), ...defined({ deadlineMs }) }),
  )
  return withoutKnown(outcome, hidden)
}

/** Creates the models for one trial; undefined if no endpoint is configured and the caller sent no keys. */
function modelsOf(modelApiKeys: RunExecution['modelApiKeys'], { models }: ExecutionSettings): TrialModels | undefined {
  if (!models && !modelApiKeys) return undefined
  return createTrialModels({ configured: models, keys: modelApiKeys ?? {} })
}

/** Maximum number of attempts to list the tools of one server. */
const MOST_ATTEMPTS = 3

/** The servers of a run, with a record of the tools that they offer. */
export type RecordedServers = TrialServers & {
  /** Resolves when no listing is in progress. */
  settled(): Promise<void>
}

/**
 * Records each server's tools whenever a trial lists them, and otherwise after the first call. No trial waits for that
 * extra listing, and no trial fails because of a listing that cannot be read or stored.
 * @param signal aborts listings that are unfinished when the run ends
 */
export function recordTools(
  servers: TrialServers,
  { record, signal, now = Date.now }: { record: (listing: SeenTools) => void; signal: AbortSignal; now?: () => number },
): RecordedServers {
  const attempts = new Map<string, number>()
  const known = new Set<string>()
  const underWay = new Map<string, Promise<void>>()

  /** A listing is only additional evidence. If it cannot be stored, trials continue, and the next call lists again. */
  const keep = (serverName: string, tools: readonly Tool[]): void => {
    try {
      record(toSeenTools(serverName, tools, now()))
      known.add(serverName)
    } catch {
      // If the database cannot be written for long, the writes of the trials report it.
    }
  }

  const note = async (serverName: string): Promise<void> => {
    try {
      keep(serverName, await servers.listTools(serverName, signal))
    } catch {
      // The calls of the trials report a server that does not answer.
    } finally {
      underWay.delete(serverName)
    }
  }

  const noteOnce = (serverName: string): void => {
    const tried = attempts.get(serverName) ?? 0
    if (known.has(serverName) || underWay.has(serverName) || tried >= MOST_ATTEMPTS) return
    if (!servers.names.includes(serverName) || signal.aborted) return
    attempts.set(serverName, tried + 1)
    underWay.set(serverName, note(serverName))
  }

  return {
    names: servers.names,
    async listTools(serverName, ofTrial) {
      const tools = await servers.listTools(serverName, ofTrial)
      keep(serverName, tools)
      return tools
    },
    async callTool(serverName, toolName, args, ofTrial) {
      try {
        return await servers.callTool(serverName, toolName, args, ofTrial)
      } finally {
        noteOnce(serverName)
      }
    },
    async settled() {
      await Promise.all(underWay.values())
    },
  }
}
