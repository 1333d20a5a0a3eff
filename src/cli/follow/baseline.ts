import { closeSync, existsSync, openSync, rmSync } from 'node:fs'
import type { Client } from '../../api/client/client.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { contract } from '../../api/contract/contract.ts'
import {
  changesSinceBaseline,
  namelessTwin,
  updatedLines,
  type BaselineLine,
  type BaselineRun,
  type NamedSuite,
} from '../../domain/runs/baseline.ts'
import { readBaseline, writeBaseline } from '../../domain/runs/baseline-file.ts'
import { baselineReport, type BaselineReport } from '../../domain/runs/baseline-report.ts'
import type { GateFacts } from '../../domain/runs/gates.ts'
import { isVerdict, outcomeOfRun } from '../../domain/runs/outcome.ts'
import { outputTarget } from '../../lib/files/output-target.ts'
import { writeAtomically } from '../../lib/files/write-atomically.ts'
import { readTextFile } from '../../lib/yaml/text-files.ts'
import { MAX_TEXT_BYTES } from '../../lib/yaml/yaml-reading.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { defined } from '../../lib/json.ts'
import { utcDay } from '../../lib/times.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { changeAlone } from '../config/change-alone.ts'
import { faulty, onDisk } from '../documents/files.ts'
import type { Followed } from './follow-run.ts'
import type { RunPlace } from './reference.ts'

/** The baseline file, whether to update it instead of comparing with it, and why to quarantine flaky cases then. */
export type BaselineOptions = { baseline?: string; updateBaseline?: boolean; quarantine?: string }

/** A file of results that a run is compared with, or that is updated from it. */
export type Baseline = { file: string; lines: readonly BaselineLine[]; update: boolean; quarantine?: string }

/**
 * Reads the baseline file before anything is launched.
 * @throws UsageError if it cannot be read or written, is not a baseline, or is to be compared with and does not exist
 */
export function openBaseline({
  baseline: file,
  updateBaseline: update = false,
  quarantine,
}: BaselineOptions): Baseline | undefined {
  if (file === undefined) {
    if (update) throw new UsageError('--update-baseline needs --baseline with the file to write.')
    return undefined
  }
  if (!update && !existsSync(file))
    throw new UsageError(
      `There is no baseline ${file}. To write it from a run, add --update-baseline; then keep it in the repository.`,
    )
  if (update) onDisk('written', file, () => tryToWrite(file))
  return { file, lines: readLines(file), update, ...defined({ quarantine }) }
}

/** Returns no lines if the file does not exist yet. @throws UsageError */
function readLines(file: string): BaselineLine[] {
  if (!existsSync(file)) return []
  const text = onDisk('read', file, () => readTextFile(file))
  const read = text.ok ? readBaseline(text.value) : text
  if (!read.ok) throw faulty(read.problems.map(problem => ({ ...problem, file })))
  return read.value
}

/**
 * Tests whether a file can be created next to the baseline, since an update replaces it by such a file. Leaves no file
 * behind.
 */
function tryToWrite(file: string): void {
  const target = outputTarget(file)
  if ('stream' in target) throw new Error('it is not a regular file')
  const draft = `${target.file}.${process.pid}.tmp`
  closeSync(openSync(draft, 'wx'))
  rmSync(draft)
}

/** The cases of a launch as far as they are known: all cases of the suite, and the ids of those to run. */
export type LaunchedCases = { asked: readonly string[]; suite?: NamedSuite; replacesModels?: boolean }

/**
 * Returns the suite with the names that a baseline uses for its results, or why it cannot have them.
 * @param cases the cases, if they were read already
 * @throws ApiError
 */
async function readSuite(
  client: Client,
  place: { projectId: string; suiteId: string },
  { cases, signal }: { cases?: NamedSuite['cases'] | undefined; signal?: AbortSignal | undefined } = {},
): Promise<NamedSuite | string> {
  const options = signal && { signal }
  const { projectId, suiteId } = place
  const suites = await client.items(contract.suites.list, { projectId }, options)
  const { name } = suites.find(({ id }) => id === suiteId) ?? (await client.suites.get(place, options))
  if (!name) return `the suite ${suiteId} has no name`
  const named = suites.filter(each => each.name === name)
  if (named.length > 1) return `${named.length} suites are called "${name}"; rename one`
  return { name, cases: cases ?? (await client.items(contract.cases.list, place, options)) }
}

/**
 * Checks that a baseline can tell the results of a launch apart, before the launch spends credits.
 * @param asked ids of the cases to run
 * @param cases all cases of the suite, if they were read already
 * @throws UsageError if it cannot
 */
export async function nameCases(
  client: Client,
  place: { projectId: string; suiteId: string },
  asked: readonly string[],
  cases?: NamedSuite['cases'],
): Promise<LaunchedCases> {
  const suite = await readSuite(client, place, { cases })
  const twins =
    typeof suite === 'string'
      ? [suite]
      : suite.cases.flatMap(each => (asked.includes(each.id) ? (namelessTwin(suite, each) ?? []) : []))
  if (typeof suite === 'string' || twins.length > 0)
    throw new UsageError(clean(`A baseline knows results by their names: ${twins[0]}.`))
  return { asked, suite }
}

/** A run that is no longer followed, with its place, to be compared with a baseline. */
export type FollowedPlace = { place: RunPlace; followed: Followed; attempts?: readonly EvalIteration[] | undefined }
/** Facts that the baseline gates are judged by, and the report. */
export type BaselineFacts = Pick<GateFacts, 'baseline' | 'written'> & { report?: BaselineReport }

/**
 * Compares each run with the file as it was before. Writes the file if an update is wanted and all runs have a verdict.
 * @param missing whether a run of the launch is missing from them
 */
export async function judgeBaselines(
  client: Client,
  baseline: Baseline,
  runs: readonly FollowedPlace[],
  { launched, missing, signal }: { launched: LaunchedCases | undefined; missing: boolean; signal: AbortSignal },
): Promise<BaselineFacts[]> {
  const read = await Promise.all(runs.map(each => readRun(client, each, launched, signal)))
  const { file, lines, update } = baseline
  const written = update ? writeUpdated(baseline, read, missing) : undefined
  return read.map(facts => {
    if (typeof facts === 'string') return { baseline: facts, written }
    const changed = changesSinceBaseline(lines, facts)
    if (typeof changed === 'string') return { baseline: changed, written }
    return { baseline: changed, written, report: baselineReport(file, changed) }
  })
}

/** Returns a run with its suite, or why it cannot be compared. */
async function readRun(
  client: Client,
  { place: { projectId }, followed, attempts }: FollowedPlace,
  launched: LaunchedCases | undefined,
  signal: AbortSignal,
): Promise<BaselineRun | string> {
  if (followed.kind !== 'ended') return 'the run has not ended'
  const { run, trials } = followed
  try {
    const suite = launched?.suite ?? (await readSuite(client, { projectId, suiteId: run.suiteId }, { signal }))
    if (typeof suite === 'string') return suite
    return { suite, run, trials, attempts, asked: launched?.asked, replacesModels: launched?.replacesModels }
  } catch (error) {
    if (signal.aborted) return 'it was stopped'
    if (!(error instanceof ApiError)) throw error
    const { title, sentence } = describeError(error)
    return `${title}: ${sentence}`.replace(/\.$/, '')
  }
}

/** @returns the number of results now in the file, or why it was not changed */
function writeUpdated(
  { file, lines: before, quarantine: reason }: Baseline,
  runs: readonly (BaselineRun | string)[],
  missing: boolean,
): number | string {
  if (missing) return 'a run was not started'
  const whole: BaselineRun[] = []
  for (const each of runs) {
    if (typeof each === 'string') return each
    const outcome = outcomeOfRun(each.run)
    if (!isVerdict(outcome)) return `the run is ${outcome}`
    whole.push(each)
  }
  const quarantined = reason === undefined ? undefined : { since: utcDay(Date.now()), reason }
  try {
    return changeAlone(file, () => {
      // Otherwise the lines of other suites would be lost.
      if (before.length > 0 && !existsSync(file)) return 'the file is gone since the command began'
      // Another process may have written the file during the runs.
      const lines = updatedLines(readLines(file), whole, quarantined)
      if (typeof lines === 'string') return lines
      const text = writeBaseline(lines)
      if (Buffer.byteLength(text) > MAX_TEXT_BYTES) return `it would be larger than ${MAX_TEXT_BYTES} bytes`
      writeAtomically(file, text, { flush: true })
      return lines.length
    })
  } catch (error) {
    return systemErrorReason(error)
  }
}
