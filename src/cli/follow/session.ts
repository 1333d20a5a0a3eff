import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { runNumberOf } from '../../api/contract/runs.ts'
import type { Gate } from '../../domain/runs/gates.ts'
import { settleRun, type EndedRun, type FlakyCase } from '../../domain/runs/retries.ts'
import { trialState } from '../../domain/runs/trials.ts'
import { UNKNOWN } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { EXIT } from '../process/exit-codes.ts'
import { interruptedCode, listenForInterrupt } from '../process/interrupt.ts'
import { announcement, type Notify } from '../../tui/terminal/announcement.ts'
import { resolveTtyConventions, wantsScreenReader } from '../dashboard/tty-conventions.ts'
import { openOutput, type Output } from '../output/output.ts'
import { say } from '../output/prose.ts'
import { type CommonOptions, resolveSettings, type Settings } from '../config/settings.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { followRun, isPassing, NoRun, type FollowEvent, type Followed } from './follow-run.ts'
import { withJudge } from './judge-wait.ts'
import { type Base, baseOf, checkBase } from './base.ts'
import { judgeBaselines, openBaseline, type Baseline, type BaselineFacts, type LaunchedCases } from './baseline.ts'
import { sentenceOf, type Comparison, type RerunAttempt, type Retried } from './conclusion.ts'
import { compareRun, gatesOf, judgeGates, type GateOptions } from './gate-facts.ts'
import { printFinalReport, resultOf, type Result } from './final-report.ts'
import { type RunPlace, parseRun, type NamedRun } from './reference.ts'
import type { NamedResult } from './summary.ts'
import { ownTexts } from '../output/redaction.ts'
import { createReporter, type Reporter, type ReportMode } from './reporter.ts'
import { systemClock } from '../../lib/clock.ts'
import { runsRoute } from '../../app/places.ts'
import { webAddress, type WebAddresses } from '../../tui/router/web-address.ts'
import type { Traces } from './page/traces.ts'
import { withReports, type ReportOptions, type WriteReports } from './reports.ts'
import { atProfileOf } from '../profile/at-profile.ts'
import { createLog } from '../output/log.ts'
import { chooseProject } from '../workspace/project-choice.ts'
import { openWorkspace, type OpenedWorkspace } from '../workspace/workspace.ts'

/** Options of both `watch` and `run`. */
export type SessionOptions = GateOptions &
  ReportOptions & { json?: boolean; jsonl?: boolean; timeout?: number; traces?: number }

/** A run to follow; the label distinguishes it from its siblings and is empty for a single one. */
export type FollowedRun = { label: string; place: RunPlace }

/** A target of a launch that has no run. */
export type NotStarted = { label: string; error: NoRun }

export type FollowExtras = {
  /** Whether to read the runs once instead of following them to their end. */
  once?: boolean
  /** Command that continues watching; without it the runs end with this process. */
  again?: string
  /**
   * The run that the gates compare with. Without such gates, the run that is only compared in the report, such as the
   * run that is repeated.
   */
  base?: Base | undefined
  /** The cases that should run, if known. */
  launched?: LaunchedCases | undefined
  /** Resolves to whether this process has executed a run, once it no longer does. */
  executed?: (runId: string) => Promise<boolean>
  /** Id of the run group, for the final record. */
  runGroupId?: string
  /** Targets of the group that did not start, which also count in its result. */
  notStarted?: readonly NotStarted[]
  /** Returns further reasons why a trial did not pass, a sentence each. */
  causesOf?: (trial: EvalIteration) => readonly string[]
  /** Runs the failed cases of an ended run again, and follows each rerun; absent if nothing is retried. */
  retry?: (
    run: { place: RunPlace; own: EndedRun },
    follow: (place: RunPlace, label: string) => Promise<Followed>,
  ) => Promise<RerunAttempt[]>
  /** Returns why an ended run is not the one that was asked for; such a run gives no verdict. */
  whyOther?: ((found: EndedRun) => string | undefined) | undefined
  /** Receives the results when following has ended. */
  onResults?: (results: readonly Result[]) => void
}

/** Everything needed to follow runs: output, signals, gates and the report. */
export type Session = {
  gates: readonly Gate[]
  /** The baseline file that the runs are compared with. */
  baseline: Baseline | undefined
  mode: ReportMode
  output: Output
  reporter: Reporter
  /** Aborts on Ctrl+C, when nobody reads the output any more, and at the time limit. */
  stop: AbortSignal
  /** Follows runs and prints the final result; resolves to the exit code. */
  follow: (client: Client, runs: readonly FollowedRun[], extras: FollowExtras) => Promise<number>
  /** Runs the work of the command, and reports why if it fails or is stopped early. @throws UsageError after that */
  guard: (work: () => Promise<number>) => Promise<number>
  close: () => void
}

/**
 * @param name name in the reports of a run that was never read
 * @throws UsageError for options that contradict each other
 */
function openSession({ common, settings, own, name, writeReports }: Opening): Session {
  if (own.json && own.jsonl) throw new UsageError('--json and --jsonl cannot be combined.')
  if (own.traces !== undefined && own.html === undefined) throw new UsageError('--traces is for --html.')
  const gates = gatesOf(own)
  const baseline = openBaseline(own)
  const mode: ReportMode = own.json ? 'json' : own.jsonl ? 'jsonl' : 'text'
  const output = openOutput()
  const interruption = listenForInterrupt()
  const interrupt = AbortSignal.any([interruption.signal, output.signal])
  const texts = ownTexts(settings)
  const reporter = createReporter({ mode, output, inPlace: isInPlace(mode, common), texts })
  const timeout = new AbortController()
  const stop = AbortSignal.any([interrupt, timeout.signal])
  const cancel = own.timeout === undefined ? undefined : systemClock.after(own.timeout, () => timeout.abort())
  const unknown = common.ascii ? '-' : UNKNOWN
  let isFollowing = false

  const lastWord = async (results: readonly Result[], extras: FollowExtras): Promise<number> => {
    reporter.end()
    const { again, runGroupId, causesOf } = extras
    const goesOn = isGoingOn(extras)
    const exitCode = await printFinalReport(results, { mode, output, unknown, goesOn, runGroupId, causesOf, texts })
    // A refused request would be refused again.
    const isOpen = results.some(({ followed: { kind } }) => kind !== 'ended' && kind !== 'refused')
    if (isOpen && again !== undefined && !output.closed) say(`To watch it again: ${again}`)
    return exitCode
  }

  return {
    gates,
    baseline,
    mode,
    output,
    reporter,
    stop,
    async follow(client, runs, extras) {
      isFollowing = true
      // What a page shows of a run needs more memory.
      const keep = own.html === undefined ? undefined : (await import('./page/kept.ts')).keepForPage()
      const { once, notStarted = [] } = extras
      const signals = { interrupt, timeout: timeout.signal, stop }
      const following = { client, own, gates, baseline, reporter, extras, keep, signals }
      const followed = await followAll(following, runs)
      const results = [...followed, ...notStarted.map(({ label, error }) => withoutRun(label, error, own, gates))]
      if (writeReports) {
        const names = { stop, name, web: settings.profile.web, once }
        const named = await withNames(client, runs, await traced(client, runs, results, own, stop), names)
        await writeReports(named, isGoingOn(extras), texts)
      }
      extras.onResults?.(results)
      return await lastWord(results, extras)
    },
    async guard(work) {
      const stopped = Promise.withResolvers<never>()
      const onStop = (): void => {
        // While runs are followed, following itself ends with what was read so far.
        if (!isFollowing) stopped.reject(new Stopped(interrupt))
      }
      stop.addEventListener('abort', onStop)
      try {
        return await Promise.race([work(), stopped.promise])
      } catch (error) {
        const result = withoutRun('', error instanceof UsageError ? new NoRun(error.message) : error, own, gates)
        await writeReports?.([{ name, ...result }], false, texts)
        if (error instanceof UsageError) throw error
        return await lastWord([result], {})
      } finally {
        stop.removeEventListener('abort', onStop)
      }
    },
    close() {
      cancel?.()
      interruption.stop()
    },
  }
}

/** Whether an unfinished run continues without this process. */
function isGoingOn({ again, once }: FollowExtras): boolean {
  return again !== undefined || once === true
}

/** Reports that the command ended before it followed anything. */
class Stopped extends Error {
  readonly end: { kind: 'timed_out' } | { kind: 'interrupted'; exitCode: number }

  constructor(interrupt: AbortSignal) {
    super('stopped')
    this.end = interrupt.aborted ? { kind: 'interrupted', exitCode: interruptedCode(interrupt) } : { kind: 'timed_out' }
  }
}

/** Returns the result of a command that ended before a run was read. @throws any error that is not a failed call */
function withoutRun(label: string, error: unknown, own: SessionOptions, gates: readonly Gate[]): Result {
  const followed = endBeforeRun(error)
  return resultOf(label, followed, {
    gates: judgeGates(gates, followed, undefined),
    gatesOnly: own.gatesOnly ?? false,
    comparison: undefined,
  })
}

function endBeforeRun(error: unknown): Followed {
  if (error instanceof Stopped) return { ...error.end, trials: [] }
  if (error instanceof NoRun) return { kind: 'refused', error, trials: [] }
  if (!(error instanceof ApiError)) throw error
  return { kind: isPassing(error) ? 'unreachable' : 'refused', error, trials: [] }
}

type Following = {
  client: Client
  own: SessionOptions
  gates: readonly Gate[]
  baseline: Baseline | undefined
  reporter: Reporter
  extras: FollowExtras
  /** Returns what to keep of each trial, for a page. */
  keep: ((trial: EvalIteration) => EvalIteration) | undefined
  signals: { interrupt: AbortSignal; timeout: AbortSignal; stop: AbortSignal }
}

/** A run that is no longer followed, with what it is compared with and its reruns. */
type EndedFollowing = FollowedRun & {
  followed: Followed
  beside: Comparison | string | undefined
  retried?: Retried | undefined
}

/** Follows runs to their end, runs failed cases again if that is wanted, and judges the runs. */
async function followAll(following: Following, runs: readonly FollowedRun[]): Promise<Result[]> {
  const { client, reporter, extras, signals } = following
  const ended = await Promise.all(
    runs.map(async ({ label, place }): Promise<EndedFollowing> => {
      const read = unlessOther(await followOne(following, label, place), extras)
      const judge = { stop: signals.stop, say: reporter.say }
      const followed = extras.once ? read : await withJudge(client, place, read, judge)
      return { label, place, followed, beside: await comparedWith(following, place, followed) }
    }),
  )
  if (!extras.retry) return await judgeAll(following, ended)
  const unretried = ended.map(withoutReruns)
  const { own, gates, baseline } = following
  const before = gates.filter(({ gate }) => !ABOUT_RERUNS.has(gate))
  const known = {
    gates: before,
    baseline: baseline && { ...baseline, update: false },
    // A gate that waits for the reruns cannot decide that there are none; the run's own verdict does.
    own: { ...own, gatesOnly: own.gatesOnly === true && before.length === gates.length },
  }
  const first = await judgeAll({ ...following, ...known }, unretried)
  const retried: EndedFollowing[] = []
  // One after the other: a rerun whose answer is lost is recognized only as the one new run of its suite.
  for (const [index, each] of unretried.entries())
    retried.push(isToRetry(first[index]!) ? await retryOne(following, each) : each)
  return await judgeAll(following, retried)
}

function unlessOther(read: Followed, { whyOther }: FollowExtras): Followed {
  const why = read.kind === 'ended' ? whyOther?.(read) : undefined
  return why === undefined ? read : { ...read, kind: 'refused', error: new NoRun(why) }
}

/** Gates that can only be judged after the reruns. */
const ABOUT_RERUNS: ReadonlySet<string> = new Set(['max-flaky', 'update-baseline'] satisfies Gate['gate'][])
/** Gates that a passed rerun of failed cases can change. The others judge the run itself. */
const ABOUT_CASES: ReadonlySet<string> = new Set([
  'min-graded',
  'min-pass-rate',
  'no-new-failures-against',
  'baseline',
] satisfies Gate['gate'][])

async function followOne({ client, reporter, extras, keep, signals }: Following, label: string, place: RunPlace) {
  const onEvent = (event: FollowEvent): void => reporter.onEvent(label, event)
  const executed = extras.executed?.(place.runId)
  return await followRun(client, place, { ...signals, onEvent, executed, once: extras.once, keep })
}

/** Whether a run is no success, and a rerun of its failed cases could change that. A stopped run is not run again. */
function isToRetry({ followed, conclusion }: Result): boolean {
  if (followed.kind !== 'ended' || conclusion.exitCode === EXIT.done) return false
  if (conclusion.gates.some(({ gate, passed }) => passed !== true && !ABOUT_CASES.has(gate))) return false
  return conclusion.because !== 'cancelled' && followed.trials.some(trial => trialState(trial) !== 'passed')
}

function withoutReruns(ended: EndedFollowing): EndedFollowing {
  const { followed } = ended
  return followed.kind === 'ended' ? { ...ended, retried: { attempts: [], settled: settleRun(followed, []) } } : ended
}

async function retryOne(following: Following, ended: EndedFollowing): Promise<EndedFollowing> {
  const { extras, signals } = following
  const { label, place, followed, beside } = ended
  if (!extras.retry || followed.kind !== 'ended') return ended
  const named = (text: string): string => (label === '' ? text : `${label}, ${text}`)
  const attempts = await extras.retry({ place, own: followed }, (again, text) =>
    followOne(following, named(text), again),
  )
  const { run, trials } = followed
  const counted = attempts.flatMap(attempt => attempt.ended ?? [])
  const settled = settleRun(followed, counted, extras.launched?.asked)
  const stopped = { ...ended, retried: { attempts, settled } }
  if (signals.interrupt.aborted)
    return { ...stopped, followed: { kind: 'interrupted', exitCode: interruptedCode(signals.interrupt), run, trials } }
  if (signals.timeout.aborted) return { ...stopped, followed: { kind: 'timed_out', run, trials } }
  const { flaky } = settled
  const compared = flaky.length > 0 ? await comparedWith(following, place, followed, flaky) : beside
  return { ...ended, beside: compared, retried: { attempts, settled } }
}

async function judgeAll(
  { client, own, gates, baseline, extras, signals }: Following,
  ended: readonly EndedFollowing[],
): Promise<Result[]> {
  const { launched, notStarted = [] } = extras
  const settled = ended.map(({ place, followed, retried }) => {
    if (followed.kind !== 'ended' || !retried) return { place, followed }
    const { attempts, settled: after } = retried
    const all = [followed, ...attempts.flatMap(attempt => attempt.ended ?? [])].flatMap(({ trials }) => trials)
    return { place, followed: { ...followed, ...after }, attempts: all }
  })
  const options = { launched, missing: notStarted.length > 0, signal: signals.stop }
  const known = baseline && (await judgeBaselines(client, baseline, settled, options))
  return ended.map((each, index) => judged(each, known?.[index], gates, own))
}

async function comparedWith(
  { client, reporter, extras: { base }, signals: { stop } }: Following,
  place: RunPlace,
  followed: Followed,
  flaky?: readonly FlakyCase[],
): Promise<Comparison | string | undefined> {
  if (base === undefined || followed.kind !== 'ended') return undefined
  const compared = await compareRun(client, place, followed, base, { signal: stop, flaky })
  if (typeof compared === 'string') reporter.say(`Not compared: ${compared.replace(/\.$/, '')}.`)
  return compared
}

function judged(
  { label, followed, beside, retried }: EndedFollowing,
  known: BaselineFacts | undefined,
  gates: readonly Gate[],
  own: SessionOptions,
): Result {
  return resultOf(label, followed, {
    gates: judgeGates(gates, followed, beside, { ...known, retried }),
    gatesOnly: own.gatesOnly ?? false,
    comparison: typeof beside === 'object' ? beside : undefined,
    baseline: known?.report,
    retried,
  })
}

function isInPlace(mode: ReportMode, common: CommonOptions): boolean {
  const stream = mode === 'text' ? process.stdout : process.stderr
  if (!stream.isTTY || process.env.TERM === 'dumb') return false
  return common.screenReader !== true && !wantsScreenReader(process.env)
}

/** Adds the traces that a page shows. */
async function traced(
  client: Client,
  runs: readonly FollowedRun[],
  results: readonly Result[],
  { html, traces: most = USUAL_TRACES }: SessionOptions,
  stop: AbortSignal,
): Promise<(Result & Partial<Traces>)[]> {
  if (html === undefined) return [...results]
  const { readTraces } = await import('./page/traces.ts')
  const read = []
  let left = most
  for (const [index, result] of results.entries()) {
    const place = runs[index]?.place
    const found = place && (await readTraces(client, place, result.followed, { most: left, stop }))
    left -= found?.tried ?? 0
    read.push({ ...result, ...found })
  }
  return read
}

const USUAL_TRACES = 20

type Naming = { stop: AbortSignal; name: string; web: WebAddresses | undefined; once: boolean | undefined }

/** Adds the name of the suite and the page of the run to each result; a run that was never read gets its id. */
async function withNames(
  client: Client,
  runs: readonly FollowedRun[],
  results: readonly (Result & Partial<Traces>)[],
  { stop, name: unread, web = {}, once = false }: Naming,
): Promise<NamedResult[]> {
  const named = []
  for (const [index, result] of results.entries()) {
    const { projectId = '', runId } = runs[index]?.place ?? {}
    const { run } = result.followed
    const name = run ? await suiteName(client, projectId, run.suiteId, stop) : runId ? `Run ${runId}` : unread
    const page = run && webAddress(web, runsRoute.to({ projectId, suiteId: run.suiteId, runId }))
    const { label } = result
    // A report names several runs by their numbers; one that was not read has its id as its name.
    const whole = label === '' ? name : once ? (run ? `${name} ${runNumberOf(run)}` : name) : `${name}: ${label}`
    named.push({ ...result, name: clean(whole), page })
  }
  return named
}

/** Milliseconds that a report waits for the name of its suite after following was stopped. */
const NAME_GRACE_MS = 2_000

/**
 * Returns the name of a suite. The suite or the connection may be gone, and nobody may want to wait long: then its id
 * is used as the name.
 */
async function suiteName(client: Client, projectId: string, suiteId: string, stop: AbortSignal): Promise<string> {
  const signal = stop.aborted ? AbortSignal.timeout(NAME_GRACE_MS) : stop
  try {
    return (await client.suites.get({ projectId, suiteId }, { signal })).name ?? suiteId
  } catch (error) {
    if (error instanceof ApiError || signal.aborted) return suiteId
    throw error
  }
}

/** Context for following runs: a session, an opened workspace, and the run that the gates compare with. */
export type SessionContext = { session: Session; opened: OpenedWorkspace; client: Client; base: Base | undefined }

type Opening = {
  common: CommonOptions
  settings: Settings
  own: SessionOptions
  name: string
  writeReports: WriteReports | undefined
}

/** Runs work in a session with an opened workspace, and closes both; resolves to the exit code. */
export async function inSession(opening: Opening, work: (context: SessionContext) => Promise<number>): Promise<number> {
  const { settings } = opening
  const session = openSession(opening)
  try {
    const base = baseOf(session.gates, settings.profile.web)
    const opened = openWorkspace(settings, createLog(settings.logFile), 'briefly', { tell: say })
    try {
      const exitCode = await session.guard(() => work({ session, opened, client: opened.workspace.client, base }))
      // A judge starts when its run has ended.
      await opened.settle(session.stop)
      return exitCode
    } finally {
      await opened.close()
    }
  } finally {
    session.close()
  }
}

/** Runs `mcpdeck watch`: follows a run to its end; resolves to the exit code. */
export async function runWatch(text: string, given: CommonOptions, own: SessionOptions): Promise<number> {
  return await withReports(own, `Run ${text}`, async write => await watchRun(text, given, own, write))
}

async function watchRun(
  text: string,
  given: CommonOptions,
  own: SessionOptions,
  writeReports: WriteReports | undefined,
): Promise<number> {
  const common = await atProfileOf(text, given, process.env)
  const settings = await resolveSettings(common, process.env)
  const named = parseRun(text, settings.profile.web)
  const { notify } = resolveTtyConventions(common, process.env, settings.preferences)
  const name = `Run ${named.runId}`
  return await inSession({ common, settings, own, name, writeReports }, async ({ session, opened, client, base }) => {
    const place = await placeOf(client, settings, named)
    await checkBase(client, place.projectId, base)
    const onResults = (results: readonly Result[]): void => ring(notify, opened, results)
    return await session.follow(client, [{ label: '', place }], { base, again: `mcpdeck watch ${text}`, onResults })
  })
}

/**
 * Runs `mcpdeck report`: reads runs as they are and writes the reports; resolves to the exit code, which is the same as
 * of `mcpdeck watch` for runs that have ended.
 */
export async function runReport(texts: readonly string[], given: CommonOptions, own: SessionOptions): Promise<number> {
  if ([own.html, own.comment, own.junit, own.summary].every(file => file === undefined))
    throw new UsageError('Name a file to write: --html, --comment, --junit or --summary.')
  return await withReports(own, texts.map(text => `Run ${text}`).join(', '), async writeReports => {
    const profiles = await Promise.all(texts.map(text => atProfileOf(text, given, process.env)))
    const common = profiles[0] ?? given
    if (profiles.some(({ profile }) => profile !== common.profile))
      throw new UsageError('The runs are of several profiles; a report is of one.')
    const settings = await resolveSettings(common, process.env)
    const named = texts.map(text => parseRun(text, settings.profile.web))
    const name = texts.map(text => `Run ${text}`).join(', ')
    return await inSession({ common, settings, own, name, writeReports }, async ({ session, client, base }) => {
      const places = new Map<string, RunPlace>()
      for (const each of named) places.set(each.runId, await placeOf(client, settings, each))
      for (const { projectId } of places.values()) await checkBase(client, projectId, base)
      const runs = [...places.values()].map(place => ({ label: places.size > 1 ? place.runId : '', place }))
      return await session.follow(client, runs, { base, once: true })
    })
  })
}

async function placeOf(client: Client, { project }: Settings, named: NamedRun): Promise<RunPlace> {
  const { runId, projectId } = named
  if (projectId === undefined) return { projectId: (await chooseProject(client, project)).id, runId }
  if (project !== undefined && project !== projectId)
    throw new UsageError(`The run is of project ${projectId}, and --project names ${project}; leave one out.`)
  return { projectId, runId }
}

/** Rings the terminal for each run that ended, unless it is no terminal or a window has rung already. */
function ring(notify: Notify, { workspace: { rings } }: OpenedWorkspace, results: readonly Result[]): void {
  if (notify === 'off' || !process.stderr.isTTY) return
  for (const { followed, conclusion } of results) {
    if (followed.kind !== 'ended' || rings?.claim(followed.run.id) === false) continue
    const text = `Run ${runNumberOf(followed.run)}: ${sentenceOf(conclusion, followed, false)}`
    process.stderr.write(announcement(notify, text, process.env, process.env.TERM === 'dumb'))
  }
}
