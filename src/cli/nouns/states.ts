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

/** What a state is worked out from beside the item. */
export type StateFacts = { client: Client; projectId: string; reruns: RerunLinks | undefined }

/** How the state of a kind of thing follows from its record; the screens show the same. */
export type NounState = {
  /** All states, each with the other words that `--status` takes for it. */
  values: Readonly<Record<string, readonly string[]>>
  /** The item with its `state`, and what that covers. */
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

/** A run's own verdict, and how much of its suite it covers. */
export const runState: NounState = {
  values: { ...OUTCOMES, pending: [], running: [] },
  add(item, { reruns }) {
    const run = item as EvalRun
    const report = reportRun(run, { isRerun: reruns?.parentOf(run.id) !== undefined })
    return { ...item, state: stateOf(report), coverage: coverageOf(report) }
  },
}

/** A suite as its last run over everything says. Services that do not state its runs are read once more for each. */
export const suiteState: NounState = {
  values: { ...OUTCOMES, pending: [], running: [], unknown: [], 'never-run': [] },
  async add(item, { client, projectId, reruns }) {
    const suite = item as EvalSuite
    // The settings of one suite do not tell of its runs.
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

/** A trial by its class, as the screen calls it. */
export const trialState: NounState = {
  values: Object.fromEntries(
    TRIAL_CLASSES.map(each => [each, [CLASS_LABELS[each].word].filter(word => word !== each)]),
  ),
  add: item => ({ ...item, state: classOfTrial(item as EvalIteration) }),
}

/** A journey run by its status and its markers. */
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

/** Each by the name that its noun has for it: the nouns themselves are read by help and completion too. */
const STATES = { run: runState, suite: suiteState, trial: trialState, wave: waveState }
export type StateName = keyof typeof STATES

/** The states of a noun; undefined if its records state nothing but their `status`. */
export function statesOf({ state }: { state?: StateName }): NounState | undefined {
  return state && STATES[state]
}

/** An item with its state, where its noun has states. */
export async function withState(noun: { state?: StateName }, item: Item, facts: StateFacts): Promise<Item> {
  return (await statesOf(noun)?.add(item, facts)) ?? item
}

/** The states that a list declares for its items, or takes to narrow it; empty if it declares none. */
export function declaredStates({ response, query }: AnyEndpoint): string[] {
  const taken = query ? statusIn([asJson(query)]) : []
  const items = variants(asJson(response).properties?.['items'])
  return [...new Set([...taken, ...statusIn(items.flatMap(({ items: item }) => variants(item)))])]
}

type Json = {
  properties?: Record<string, Json>
  items?: Json
  anyOf?: Json[]
  /** Known values of an enumeration that stays open, and all of one that is closed. */
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

/** A suite may go while others are read. */
async function runsOf(client: Client, projectId: string, suiteId: string): Promise<readonly EvalRun[]> {
  try {
    return (await client.runs.list({ projectId, suiteId, limit: RUNS_READ })).items
  } catch (error) {
    if (isMissing(error)) return []
    throw error
  }
}
