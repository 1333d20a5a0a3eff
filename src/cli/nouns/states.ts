import * as z from 'zod'
import { isMissing } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { journeyRunState } from '../../domain/findings/waves.ts'
import type { RunOutcome } from '../../domain/runs/outcome.ts'
import type { RerunLinks } from '../../domain/runs/rerun-links.ts'
import {
  type Coverage,
  partLabels,
  type ReportedRun,
  reportRun,
  runReportLabel,
  statesItsRuns,
  statesNoRun,
  suiteStateOf,
} from '../../domain/runs/suite-state.ts'
import { classOfTrial, CLASS_LABELS, TRIAL_CLASSES } from '../../domain/runs/trial-class.ts'

/** A record of a list. */
export type Item = Record<string, unknown>

const RUNS_READ = 100

/** Data from which a state is derived, in addition to the item. */
export type StateFacts = { client: Client; projectId: string; reruns: RerunLinks | undefined }

/** How the state of a kind of record is derived; the screens show the same state. */
export type NounState = {
  /** All states, each with the other words that `--status` accepts for it. */
  values: Readonly<Record<string, readonly string[]>>
  /** Returns the item with its `state`, and what that covers. */
  add: (item: Item, facts: StateFacts) => Item | Promise<Item>
}

const OUTCOMES = {
  passed: [],
  failed: [],
  inconclusive: [],
  undecided: [],
  broken: [],
  cancelled: ['canceled'],
} satisfies Record<Exclude<RunOutcome, 'in-flight'>, readonly string[]>

/** State of a run: its own verdict, and how much of its suite it covers. */
export const runState: NounState = {
  values: { ...OUTCOMES, pending: [], running: [] },
  add(item, { reruns }) {
    const run = item as EvalRun
    const report = reportRun(run, { isRerun: reruns?.parentOf(run.id) !== undefined })
    return { ...item, state: stateOf(report), coverage: coverageOf(report) }
  },
}

/**
 * State of a suite according to its last complete run. If the service does not include the runs, they are read for each
 * suite.
 */
export const suiteState: NounState = {
  values: { ...OUTCOMES, pending: [], running: [], unknown: [], 'never-run': [] },
  async add(item, { client, projectId, reruns }) {
    const suite = item as EvalSuite
    // The settings of a single suite do not include its runs.
    if ('settings' in suite && !('latestRun' in suite) && !statesItsRuns(suite)) return item
    const isStated = statesItsRuns(suite) || statesNoRun(suite)
    const runs = isStated ? undefined : await runsOf(client, projectId, suite.id)
    const isRerun = (runId: string) => ({ isRerun: reruns?.parentOf(runId) !== undefined })
    const { outcome, judgedBy, latest } = suiteStateOf({ suite, runs, factsOf: isRerun })
    if (!judgedBy || !latest) return { ...item, state: outcome, coverage: null, judgedBy: null, lastRun: null }
    return {
      ...item,
      state: stateOf(judgedBy),
      coverage: coverageOf(judgedBy),
      judgedBy: judgedBy.run.id,
      lastRun: {
        id: latest.run.id,
        state: stateOf(latest),
        coverage: coverageOf(latest),
        says: runReportLabel(latest),
      },
    }
  },
}

/** State of a trial: its class, with the screen's word for it. */
export const trialState: NounState = {
  values: Object.fromEntries(
    TRIAL_CLASSES.map(each => [each, [CLASS_LABELS[each].word].filter(word => word !== each)]),
  ),
  add: item => ({ ...item, state: classOfTrial(item as EvalIteration) }),
}

/** State of a journey run, from its status and its markers. */
export const waveState: NounState = {
  values: {
    running: [],
    completed: [],
    partial: [],
    failed: [],
    rate_limited: [],
    canceled: ['cancelled'],
    stale: [],
    failed_or_canceled: [],
  },
  add: item => ({ ...item, state: journeyRunState(item) ?? null }),
}

/** States by the name that a noun uses for them: help and completion load the nouns, but not the states. */
const STATES = { run: runState, suite: suiteState, trial: trialState, wave: waveState }
export type StateName = keyof typeof STATES

/** Returns the states of a noun; undefined if its records have only a `status`. */
export function statesOf({ state }: { state?: StateName }): NounState | undefined {
  return state && STATES[state]
}

/** Returns an item with its state, if its noun has states. */
export async function withState(noun: { state?: StateName }, item: Item, facts: StateFacts): Promise<Item> {
  return (await statesOf(noun)?.add(item, facts)) ?? item
}

/** Returns the states that a list declares for its items or accepts as a filter; empty if it declares none. */
export function declaredStates({ response, query }: AnyEndpoint): string[] {
  const taken = query ? statusIn([asJson(query)]) : []
  const items = variants(asJson(response).properties?.['items'])
  return [...new Set([...taken, ...statusIn(items.flatMap(({ items: item }) => variants(item)))])]
}

type Json = {
  properties?: Record<string, Json>
  items?: Json
  anyOf?: Json[]
  /** Known values of an open enumeration, or all values of a closed one. */
  values?: string[]
  enum?: string[]
}

function asJson(schema: z.ZodType): Json {
  return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json
}

function variants(schema: Json | undefined): Json[] {
  return schema ? [schema, ...(schema.anyOf ?? [])] : []
}

function statusIn(records: readonly Json[]): string[] {
  return records
    .flatMap(({ properties }) => variants(properties?.['status']))
    .flatMap(each => each.values ?? each.enum ?? [])
}

function stateOf({ run, outcome }: ReportedRun): string {
  return outcome === 'in-flight' ? run.status : outcome
}

function coverageOf(report: ReportedRun): Partial<Coverage> & { says: string } {
  const { cases, graded, isWhole } = report.coverage
  const words = partLabels(report)
  const says = words.length > 0 ? words.join(', ') : isWhole === true ? 'all' : 'unknown'
  return { says, isWhole, cases, graded }
}

/** Reads the runs of a suite, which may be deleted while others are read. */
async function runsOf(client: Client, projectId: string, suiteId: string): Promise<readonly EvalRun[]> {
  try {
    return (await client.runs.list({ projectId, suiteId, limit: RUNS_READ })).items
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
