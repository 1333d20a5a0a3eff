import type { Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalCase } from '../../api/contract/suites.ts'
import { decisionCounts, reportedTrials } from '../../domain/runs/counts.ts'
import { isVerdict, outcomeOfRun } from '../../domain/runs/outcome.ts'
import { reportRun, type ReportedRun } from '../../domain/runs/suite-state.ts'
import { chosenCases } from '../../domain/suites/chosen-cases.ts'
import { caseDurations, shardsOf, type Shard } from '../../domain/suites/shards.ts'
import type { WrittenSuite } from '../../domain/suites/suite-file.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Options of `mcpdeck run` that choose among the cases of a suite. */
export type SelectionOptions = { case: string[]; casesOf?: string; tag: string[]; skip: string[]; shard?: Shard }

/** The chosen cases, and sentences about the choice. `isAll` if no option chose. */
export type Selection = { cases: readonly EvalCase[]; lines: readonly string[]; isAll: boolean }

/** A shard without a case: the cases are all in the other shards, so nothing is left to run, and nothing failed. */
export class EmptyShard extends Error {}

/**
 * Chooses the cases to run; only reads.
 * @param written the suite file of `--cases-of`
 * @throws UsageError if nothing is left to run, a case is not there, or the shards might not fit together
 * @throws EmptyShard
 */
export async function selectCases(
  client: Client,
  suite: { projectId: string; suiteId: string },
  own: SelectionOptions,
  written: WrittenSuite | undefined,
): Promise<Selection & { allCases: readonly EvalCase[] }> {
  const allCases = await client.items(contract.cases.list, suite)
  const chosen = ofOptions(allCases, own, written)
  if (chosen.cases.length === 0) throw new UsageError('The suite has no cases, so there is nothing to run.')
  const { shard } = own
  if (!shard) return { ...chosen, allCases }
  const { cases } = chosen
  const last = shard.of === 1 ? undefined : await lastWholeRun(client, suite, allCases.length)
  const part = shardsOf(cases, caseDurations(last?.trials ?? []), shard.of)[shard.number - 1] ?? []
  const name = `Shard ${shard.number}/${shard.of}`
  const all = plural(cases.length, 'case')
  if (part.length === 0)
    throw new EmptyShard(`${name} has no case: the other shards have the ${all}. Nothing was launched.`)
  const by = last ? `by the durations of run ${last.id}` : 'by number, since no run of all cases has ended'
  const line = shard.of === 1 ? `${name}: all ${all}.` : `${name}: ${part.length} of ${all}, ${by}.`
  return { cases: part, lines: [...chosen.lines, clean(line)], isAll: false, allCases }
}

function ofOptions(all: readonly EvalCase[], own: SelectionOptions, written: WrittenSuite | undefined): Selection {
  if (own.case.length > 0)
    return { cases: [...new Set(own.case.map(text => caseOf(all, text)))], lines: [], isAll: false }
  if (!written) return { cases: all, lines: [], isAll: true }
  const chosen = chosenCases(written, own.casesOf ?? '', { tags: own.tag, skip: own.skip }, all)
  if ('why' in chosen) throw new UsageError(clean(chosen.why))
  return { ...chosen, lines: chosen.lines.map(line => clean(line)), isAll: false }
}

function caseOf(cases: readonly EvalCase[], text: string): EvalCase {
  const byId = cases.find(({ id, declaredId }) => id === text || declaredId === text)
  const [titled, ...others] = cases.filter(({ title }) => title === text)
  const found = byId ?? titled
  if (!found) throw new UsageError(`The suite has no case "${clean(text)}".`)
  if (!byId && others.length > 0)
    throw new UsageError(`The suite has ${others.length + 1} cases "${clean(text)}"; name one by its id.`)
  return found
}

const LATEST_RUNS = 100
/** Maximum number of runs whose trials are read. */
const MOST_READ = 10

/**
 * Returns the latest run that executed all cases of a suite, with its trials; undefined if there was none. Runs of
 * single shards are none, so that all shards of a job see the same durations.
 * @throws UsageError if there are too many runs to tell
 */
async function lastWholeRun(client: Client, suite: { projectId: string; suiteId: string }, caseCount: number) {
  const { items } = await client.runs.list({ ...suite, limit: LATEST_RUNS })
  const latestFirst = items
    .filter(run => isVerdict(outcomeOfRun(run)) && (coversAll(reportRun(run)) ?? !countsFewer(run, caseCount)))
    .toSorted(
      (one, other) =>
        (toEpochMs(other.createdAt) ?? 0) - (toEpochMs(one.createdAt) ?? 0) || (one.id < other.id ? -1 : 1),
    )
  const read = latestFirst.slice(0, MOST_READ)
  for (const run of read) {
    const place = { projectId: suite.projectId, runId: run.id }
    const trials = await client.items(contract.iterations.list, place)
    // Without a count in its record, only the trials of a run say what it covered.
    if (coversAll(reportRun(run)) ?? coversAll(reportRun(run, { trials, caseCount }))) return { id: run.id, trials }
  }
  // While shards of a job end, a run may leave the latest ones: machines that start later would divide otherwise.
  if (latestFirst.length > read.length || items.length >= LATEST_RUNS)
    throw new UsageError(
      `None of the ${read.length} latest runs that may be of all cases is, and older ones are not read, so ` +
        'the shards of a job might not fit together. Run all cases once, without --shard, then the shards.',
    )
  return undefined
}

/** Whether a run counts fewer trials, or executions of cases, than there are cases, so that none needs to be read. */
function countsFewer(run: EvalRun, caseCount: number): boolean {
  const counted = [reportedTrials(run)?.total, decisionCounts(run)?.total]
  return counted.some(total => total !== undefined && total < caseCount)
}

function coversAll({ coverage: { cases, isRerun } }: ReportedRun): boolean | undefined {
  return cases ? cases.selected >= cases.total : isRerun ? false : undefined
}
