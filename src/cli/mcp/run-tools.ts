import * as z from 'zod'
import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { isTerminalRunStatus, type EvalRun } from '../../api/contract/runs.ts'
import { settingDifferences } from '../../domain/runs/bases.ts'
import { CAUSES, causeOf, countCauses, reasonOf, type Cause } from '../../domain/runs/causes.ts'
import { groupedCases, groupLabel, sideWord } from '../../domain/runs/comparison-groups.ts'
import { decisionCounts, reportedTrials } from '../../domain/runs/counts.ts'
import { outcomeOfRun, whyUndecided } from '../../domain/runs/outcome.ts'
import { partLabels, reportRun, type ReportedRun } from '../../domain/runs/suite-state.ts'
import { classOfTrial, CLASS_LABELS } from '../../domain/runs/trial-class.ts'
import { createTrialReader, type TrialReader } from '../../domain/runs/trial-reader.ts'
import { countTrials, trialState, uncheckedCases } from '../../domain/runs/trials.ts'
import { byCase, variantNames } from '../../domain/runs/variants.ts'
import { plural } from '../../lib/format.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { findBase, trialsOf } from '../follow/base.ts'
import { reportedTrial } from '../follow/follow-run.ts'
import { parseRun, type RunPlace } from '../follow/reference.ts'
import { errorLine } from '../output/report-error.ts'
import { listPage, quotedFacts, type OwnAddress } from './answer.ts'
import { CURSOR, PATH, PROJECT, RECORD, RUN } from './inputs.ts'
import { readLocator } from './places.ts'
import { partOf } from './record-tools.ts'
import type { Call, Reader } from './reader.ts'
import { readTool } from './tool.ts'

/** Bytes for the facts of a run, and for the list beside them; together the bound of an answer. */
const FACTS_BYTES = 8_000
const REST_BYTES = 19_000

/** Finds a run by its id, a locator, or the address of its page. */
async function placeOf(reader: Reader, run: string, project: string | undefined, call: Call): Promise<RunPlace> {
  if (run.startsWith('mcpdeck://')) readLocator(run, reader.profile)
  const { runId, projectId } = parseRun(run, reader.web)
  return { runId, projectId: projectId ?? (await reader.projectOf(project, call)) }
}

/** All trials of a run that could be read. `problem` is what ended the reading early. */
type ReadTrials = { trials: readonly EvalIteration[]; isWhole: boolean; problem?: unknown }

async function readTrials(client: Client, place: RunPlace, run: EvalRun, call: Call): Promise<ReadTrials> {
  const { signal } = call
  const reader = createTrialReader(client, place, { signal }, { keep: reportedTrial, maxPagesPerPoll: 1 })
  const total = reportedTrials(run)?.total
  try {
    while (!reader.isWhole) {
      await reader.read()
      call.progress(reader.known.length, 'trials read', total)
    }
  } catch (problem) {
    if (signal.aborted || reader.known.length === 0) throw problem
    return { trials: reader.known, isWhole: false, problem }
  }
  return { trials: reader.known, isWhole: isAll(reader, total) }
}

/** Whether as many trials were read as the run counts. */
function isAll({ known, isWhole }: TrialReader, total: number | undefined): boolean {
  return isWhole && (total === undefined || total <= known.length)
}

const VERDICTS = [
  'passed',
  'passed_in_part',
  'failed',
  'inconclusive',
  'undecided',
  'broken',
  'cancelled',
  'in_flight',
  'not_read_whole',
] as const
type Verdict = (typeof VERDICTS)[number]

/** Returns in words what a run left out, by its record and by the trials that were read; empty if nothing is known. */
function partsOf(report: ReportedRun, { trials, isWhole }: ReadTrials): string[] {
  const parts = partLabels(report)
  if (report.outcome !== 'passed') return parts
  const { total, passed, failed } = countTrials(trials)
  const { graded } = report.coverage
  // The service may count trials as passed whose own records have no verdict.
  const isUngraded = isWhole && passed + failed < total && (!graded || graded.count >= graded.total)
  const isEmpty = isWhole && total === 0
  return [
    ...parts,
    ...(isUngraded ? [`${passed + failed} of ${total} trials graded`] : []),
    ...(isEmpty ? ['no trials to be read'] : []),
    ...(report.coverage.isWhole === undefined ? [UNSTATED] : []),
  ]
}

/** What list calls the coverage of a passed run whose record does not say how much of its suite it is. */
const UNSTATED = 'coverage unknown'

/** Returns the verdict of a run; only one that was read whole and graded whole has plainly passed. */
function verdictOf(run: EvalRun, { isWhole }: ReadTrials, parts: readonly string[]): Verdict {
  const outcome = outcomeOfRun(run)
  if (outcome === 'in-flight') return 'in_flight'
  if (outcome !== 'passed') return outcome
  if (!isWhole) return 'not_read_whole'
  return parts.some(part => part !== UNSTATED) ? 'passed_in_part' : 'passed'
}

const SENTENCES: Readonly<Record<Verdict, string>> = {
  passed: 'The run passed.',
  passed_in_part: 'What was graded passed, but that is not everything; coverage says what is left out.',
  failed: 'The run failed.',
  inconclusive: 'The service withheld the verdict.',
  undecided: 'The run ended without a verdict.',
  broken: 'The run was not executed.',
  cancelled: 'The run was cancelled, so it has no verdict.',
  in_flight: 'The run has not ended; this may change.',
  not_read_whole: 'The service says that it passed, but not every trial could be read, so that is not confirmed.',
}

type Locate = (iterationId: string) => OwnAddress | undefined

/** Yields the cases of a run that did not pass, each with its reason. */
function* failedCases(trials: readonly EvalIteration[], locate: Locate): Generator<object, void> {
  const nameOf = variantNames(trials)
  for (const { trials: own } of byCase(trials)) {
    const failed = own.filter(trial => causeOf(trial) !== undefined)
    const [first] = failed
    if (!first) continue
    const cause = causeOf(first) as Cause
    yield {
      case: nameOf(first),
      caseId: first.testCaseId ?? undefined,
      cause,
      means: CAUSES[cause],
      reason: reasonOf(first),
      scores: first.scores?.filter(score => score.passed === false || score.status === 'error'),
      expectedTools: toolsOf(first.expectedToolCalls),
      calledTools: toolsOf(first.actualToolCalls),
      trials: failed.map(trial => ({
        id: trial.id,
        number: trial.iterationNumber,
        class: classOfTrial(trial),
        locator: locate(trial.id),
      })),
      passedTrials: own.filter(trial => trialState(trial) === 'passed').length,
    }
  }
}

/** Returns what identifies a failed case, of which there may be several variants. */
function trialOf(item: unknown): string | undefined {
  const { trials } = item as { trials: readonly { id: string }[] }
  return trials[0]?.id
}

function toolsOf(calls: EvalIteration['actualToolCalls']): string[] | undefined {
  return calls?.flatMap(({ toolName }) => (typeof toolName === 'string' ? [toolName] : []))
}

const COUNTS = z.record(z.string(), z.number())

const explainRun = readTool({
  name: 'explain_run',
  title: 'Explain why a run failed',
  description:
    'Read a run with all its trials: its verdict, what was not graded or is missing, how often each cause occurs, ' +
    'and every case that did not pass with its reason. A broken trial is no failure of its case.',
  input: z.object({ run: RUN, project: PROJECT, cursor: CURSOR }),
  data: z.object({
    run: RECORD,
    verdict: z.enum(VERDICTS).describe('Says passed only if every trial was read and graded.'),
    coverage: z.array(z.string()).describe('What of the suite was left out or not graded, as far as it is known.'),
    trials: COUNTS.describe('Trials that were read, by state; ungraded ones ended without a verdict.'),
    missingTrials: z
      .number()
      .nullable()
      .describe('Trials that the run counts and that were not read; null if unknown.'),
    problem: z.string().optional().describe('Why the reading of the trials ended early.'),
    unchecked: z.array(z.string()).describe('Cases that passed without any check.'),
    causes: z.array(RECORD).describe('How many trials did not pass, by cause.'),
    failedCases: z.array(RECORD).describe('Cases with a trial that did not pass, a page at a time.'),
  }),
  async read(reader, { run: wanted, project, cursor }, call) {
    const { client, own } = reader
    const place = await placeOf(reader, wanted, project, call)
    const run = await client.runs.get(place, { signal: call.signal })
    const read = await readTrials(client, place, run, call)
    const { trials } = read
    const isRerun = reader.reruns?.parentOf(run.id) !== undefined
    const parts = partsOf(reportRun(run, { trials: read.isWhole ? trials : undefined, isRerun }), read)
    const verdict = verdictOf(run, read, parts)
    const locate: Locate = iterationId => reader.locate('trials', { ...place, iterationId })
    const cases = [...failedCases(trials, locate)]
    const total = reportedTrials(run)?.total
    const missing = total === undefined ? (read.isWhole ? 0 : null) : Math.max(0, total - trials.length)
    const facts = quotedFacts(
      {
        run: { ...runFacts(run), locator: reader.locate('runs', place), why: whyUndecided(run) },
        verdict,
        coverage: parts,
        trials: countTrials(trials),
        missingTrials: missing,
        ...('problem' in read && { problem: errorLine(read.problem) }),
        unchecked: uncheckedCases(trials),
        causes: countCauses(trials).map(({ cause, count, failed, first, reason }) => {
          return { cause, means: CAUSES[cause], trials: count, failures: failed, firstTrial: first.id, reason }
        }),
      },
      own,
      FACTS_BYTES,
    )
    const page = await listPage(cases, own, { cursor, bytes: REST_BYTES, identify: trialOf })
    const about = [
      SENTENCES[verdict],
      `${plural(trials.length, 'trial')} read; ${plural(cases.length, 'case')} did not pass.`,
      ...(read.isWhole ? [] : ['Not every trial was read.']),
      ...(verdict === 'passed' && parts.includes(UNSTATED) ? ['Whether it covers its whole suite is unknown.'] : []),
      ...(page.next === undefined ? [] : ['More failed cases follow; call again with nextCursor.']),
    ]
    return {
      about: about.join(' '),
      data: { ...Object(facts.data), failedCases: page.items },
      next: page.next,
      cut: [...facts.cut, ...page.cut.map(at => `/failedCases${at}`)],
    }
  },
})

function runFacts(run: EvalRun): object {
  const { id, runNumber, suiteId, status, result, createdAt, completedAt, environment, client } = run
  return {
    id,
    runNumber,
    suiteId,
    status,
    result,
    createdAt,
    completedAt,
    environment: environment?.name,
    client: client?.name,
    model: client?.modelId,
    counts: decisionCounts(run) ?? run.summary,
  }
}

const CHANGED = 'unchanged'

const compareRuns = readTool({
  name: 'compare_runs',
  title: 'Compare two runs',
  description:
    'Read what changed from an earlier run to a later one of the same suite, case by case: new failures, ' +
    'fixed cases, cases that changed or were left out. Without base, the last earlier run with the same settings ' +
    'that passed.',
  input: z.object({
    run: RUN.describe('Id or locator of the later run.'),
    base: z
      .string()
      .default('last-passed')
      .describe('Id or locator of the earlier run; last-passed, or last for the last one with a verdict.'),
    project: PROJECT,
    unchanged: z.boolean().default(false).describe('Whether to list unchanged cases too.'),
    cursor: CURSOR,
  }),
  data: z.object({
    run: RECORD,
    base: RECORD,
    differentSettings: z
      .array(z.string())
      .describe('Settings in which the runs differ: then cases are hard to compare.'),
    groups: COUNTS.describe('Cases by group.'),
    cases: z.array(RECORD).describe('The compared cases, most important first, a page at a time.'),
  }),
  async read(reader, { run: wanted, base, project, unchanged, cursor }, call) {
    const { client, own } = reader
    const { signal } = call
    const place = await placeOf(reader, wanted, project, call)
    const run = await client.runs.get(place, { signal })
    if (!isTerminalRunStatus(run.status)) throw new UsageError('The run has not ended; compare it when it has.')
    const trials = await trialsOf(client, place, signal)
    call.progress(trials.length, 'trials read')
    const named = base === 'last' || base === 'last-passed' ? base : await placeOf(reader, base, project, call)
    const found = await findBase(named, { client, place, run, trials, signal })
    if ('why' in found) throw new UsageError(`There is nothing to compare with: ${found.why}.`)
    const baseRunId = found.run?.id
    if (baseRunId === undefined) throw new UsageError('There is nothing to compare with; name the base by its id.')
    const comparison = await client.call(contract.runs.compare, { ...place, baseRunId }, { signal })
    const cases = groupedCases(comparison, trials)
    const differs = found.run ? settingDifferences({ run }, { run: found.run }) : []
    const shown = cases.filter(({ group }) => unchanged || group !== CHANGED)
    const page = await listPage(
      shown.map(({ group, title, caseKey, compared, flaky, configChanged }) => ({
        group,
        case: title,
        caseKey,
        before: sideWord(compared.base),
        now: sideWord(compared.compare),
        error: compared.compare.error ?? undefined,
        flaky,
        configChanged,
        trial: compared.compare.representativeIterationId ?? undefined,
      })),
      own,
      { cursor, bytes: REST_BYTES, identify: item => JSON.stringify(item) },
    )
    const facts = quotedFacts(
      {
        run: { ...runFacts(run), locator: reader.locate('runs', place) },
        base: found.run
          ? { ...runFacts(found.run), locator: reader.locate('runs', { ...place, runId: baseRunId }) }
          : {},
        differentSettings: differs,
        groups: Object.fromEntries(
          [...Map.groupBy(cases, ({ group }) => group)].map(([name, of]) => [name, of.length]),
        ),
      },
      own,
      FACTS_BYTES,
    )
    const about = [
      `${groupLabel(cases)}.`,
      ...(differs.length > 0 ? [`The runs differ in ${differs.join(', ')}.`] : []),
      ...(page.next === undefined ? [] : ['More cases follow; call again with nextCursor.']),
    ]
    return {
      about: about.join(' '),
      data: { ...Object(facts.data), cases: page.items },
      next: page.next,
      cut: [...facts.cut, ...page.cut.map(at => `/cases${at}`)],
    }
  },
})

const readTrial = readTool({
  name: 'read_trial',
  title: 'Read one trial',
  description:
    'Read one trial of a run: its state and reason, the expected and the actual tool calls with their results, its ' +
    'scores and the verdict of each step. With trace, its recorded conversation and spans instead.',
  input: z.object({
    run: RUN,
    trial: z.string().describe('Id of the trial, as explain_run and list have it.'),
    project: PROJECT,
    trace: z.boolean().default(false).describe('Whether to read the recorded trace instead.'),
    path: PATH,
    cursor: CURSOR,
  }),
  data: z.object({
    record: z.unknown().optional().describe('The trial, or the part at path.'),
    text: z.string().optional().describe('A page of the text at path.'),
    items: z.array(z.unknown()).optional().describe('A page of the list at path.'),
  }),
  async read(reader, { run, trial: iterationId, project, trace, path, cursor }, call) {
    const { client } = reader
    const { signal } = call
    const place = { ...(await placeOf(reader, run, project, call)), iterationId }
    if (trace) return await partOf(await client.iterations.trace(place, { signal }), reader, path, cursor)
    const trial = await findTrial(client, place, call)
    const { items: steps } = await client.iterations.steps(place, { signal })
    const cause = causeOf(trial)
    const state = classOfTrial(trial)
    const facts = {
      locator: reader.locate('trials', place),
      state,
      says: CLASS_LABELS[state].says,
      ...(cause && { cause, means: CAUSES[cause], reason: reasonOf(trial) }),
      steps,
    }
    return await partOf({ ...trial, ...facts }, reader, path, cursor)
  },
})

/** Finds a trial in the list of its run, since the contract has no operation for one. @throws UsageError */
async function findTrial(
  client: Client,
  { iterationId, ...place }: RunPlace & { iterationId: string },
  { signal, progress }: Call,
): Promise<EvalIteration> {
  let read = 0
  for await (const { items } of client.pages(contract.iterations.list, place, { signal })) {
    const found = items.find(({ id }) => id === iterationId)
    if (found) return found
    read += items.length
    progress(read, 'trials read')
  }
  throw new UsageError('The run has no trial with this id; list lists its trials.')
}

export const runTools = [explainRun, compareRuns, readTrial]
