import { contract } from '../../api/contract/contract.ts'
import type { PlannedWrite } from '../../api/client/journal/entry.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { LAUNCH_COST } from '../../domain/runs/labels.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { atProfileOf } from '../profile/at-profile.ts'
import { goAfterEarlier, goOnWith, type Going, type RepeatOptions } from '../journal/earlier-writes.ts'
import { EXIT } from '../process/exit-codes.ts'
import { checkBase, type Base } from '../follow/base.ts'
import { nameCases, type LaunchedCases } from '../follow/baseline.ts'
import { parseRun, type RunPlace } from '../follow/reference.ts'
import {
  printEmptyShard,
  printLaunched,
  checkGroup,
  launchedGroup,
  plannedLaunch,
  sendLaunch,
  type Launched,
  type PlannedLaunch,
  type RunGroup,
} from './send.ts'
import { NoRun } from '../follow/follow-run.ts'
import { withReports, type WriteReports } from '../follow/reports.ts'
import {
  inSession,
  type FollowExtras,
  type Session,
  type SessionContext,
  type SessionOptions,
} from '../follow/session.ts'
import { chooseProject } from '../workspace/project-choice.ts'
import { resolveSettings, type CommonOptions, type Settings } from '../config/settings.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { planLaunch, type LaunchOptions, type LaunchPlan } from './plan.ts'
import { EmptyShard } from './selection.ts'
import { readSecret } from '../config/profile-key.ts'
import { latestRuns, launchedMeanwhile } from '../../domain/runs/rerun-launch.ts'
import { planRerun, sendRerun } from './rerun.ts'
import { retryFailed } from './retries.ts'

export type RunOptions = SessionOptions &
  LaunchOptions & {
    rerunFailed?: string
    idempotencyKey?: string
    yes?: boolean
    watch?: boolean
    wait?: boolean
    watchFiles: string[]
    maxRuns?: number
    retries?: number
  } & RepeatOptions

/** Runs `mcpdeck run`: launches a suite, or the failed cases of a run again; resolves to the exit code. */
export async function runLaunch(suite: string | undefined, given: CommonOptions, own: RunOptions): Promise<number> {
  const name = suite ?? `Rerun of ${own.rerunFailed}`
  return await withReports(
    own,
    name,
    async write => await launchNamed(suite, given, own, { name, writeReports: write }),
  )
}

async function launchNamed(
  suite: string | undefined,
  given: CommonOptions,
  own: RunOptions,
  { name, writeReports }: { name: string; writeReports: WriteReports | undefined },
): Promise<number> {
  checkOptions(suite, own)
  const common = await atProfileOf(own.rerunFailed, given, process.env)
  const modelApiKeys = readModelKeys({ variables: own.modelKeyEnv, files: own.modelKeyFile }, process.env)
  const settings = await resolveSettings(common, process.env)
  if (settings.readOnly)
    throw new UsageError(
      `A launch writes, and ${common.readOnly ? '--read-only' : `profile ${settings.profile.name}`} refuses ` +
        'every write.',
    )
  // Runs that this process executes end with it.
  const isHere = settings.target.kind === 'local'
  const isWatched = own.watchFiles.length > 0
  const watch = own.watch === true || isHere || isWatched
  if (!watch) refuseFollowing(own)
  return await inSession({ common, settings, own, name, writeReports }, async context => {
    if (isHere && !own.watch && !isWatched)
      context.session.reporter.say('The local workspace runs it in this process, so it is followed to its end.')
    const work = { ...context, settings, own, modelApiKeys, watch }
    try {
      if (isWatched) return await (await import('./watch-files.ts')).runOnChanges(work, suite ?? '')
      return own.rerunFailed === undefined
        ? await launchSuite(work, suite ?? '')
        : await rerunFailed(work, own.rerunFailed)
    } catch (error) {
      if (error instanceof EmptyShard) return await printEmptyShard(context.session, error)
      throw error
    }
  })
}

/** The context of a launch. */
export type LaunchWork = SessionContext & {
  settings: Settings
  own: RunOptions
  modelApiKeys: Record<string, string> | undefined
  watch: boolean
}

function checkOptions(suite: string | undefined, own: RunOptions): void {
  if ((suite === undefined) === (own.rerunFailed === undefined))
    throw new UsageError(
      'Name a suite to run (mcpdeck get suites lists them), or a run with --rerun-failed, and not both.',
    )
  if (own.watchFiles.length > 0) {
    const given = firstGiven(own, NOT_WATCHED)
    if (given) throw new UsageError(`--watch-files runs again and again, so it takes no ${given}.`)
  } else if (own.maxRuns !== undefined) throw new UsageError('--max-runs is for --watch-files.')
  if (own.casesOf === undefined && own.tag.length + own.skip.length > 0)
    throw new UsageError('Tags are in the file of a suite: name it with --cases-of.')
  if (own.casesOf !== undefined && own.case.length > 0)
    throw new UsageError('--case names the cases itself, so it takes no --cases-of.')
  if (own.quarantine !== undefined && (own.retries === undefined || own.updateBaseline !== true))
    throw new UsageError('--quarantine is for --retries with --update-baseline.')
  if (own.maxFlaky !== undefined && own.retries === undefined) throw new UsageError('--max-flaky is for --retries.')
  if (own.rerunFailed === undefined) return
  const given = firstGiven(own, TARGETS) ?? firstGiven(own, ['model', 'iterations', 'notes', 'idempotencyKey'])
  if (given) throw new UsageError(`A rerun takes its cases as they were, so it takes no ${given}.`)
}

/** @throws UsageError for an option that needs the end of the run, which is not followed */
function refuseFollowing(own: RunOptions): void {
  const given = firstGiven(own, NEED_THE_END)
  if (given) throw new UsageError(`${given} needs the end of the run: add --watch.`)
}

const TARGETS = [
  ...(['environment', 'client', 'server', 'case', 'casesOf', 'tag', 'skip', 'shard'] as const),
  ...(['modelKeyEnv', 'modelKeyFile'] as const),
]
const NEED_THE_END = [
  'newFailuresAgainst',
  'baseline',
  'updateBaseline',
  'quarantine',
  'junit',
  'summary',
  'comment',
  'html',
  'traces',
  'timeout',
  'minPassRate',
  'minGraded',
  'maxDuration',
  'maxTokens',
  'maxBroken',
  'maxFlaky',
  'minJudge',
  'maxP95',
  'maxLatency',
  'retries',
  'gatesOnly',
] as const satisfies readonly (keyof RunOptions)[]

const NOT_WATCHED = [
  ...(['rerunFailed', 'idempotencyKey', 'retry', 'new', 'inDoubt', 'json', 'jsonl'] as const),
  ...NEED_THE_END,
] satisfies (keyof RunOptions)[]

/** Returns the first of some options that was given, as typed: `--model-key-env`. */
function firstGiven(own: RunOptions, names: readonly (keyof RunOptions)[]): string | undefined {
  const given = names.find(name => {
    const value = own[name]
    if (name === 'newFailuresAgainst') return typeof value === 'string'
    return Array.isArray(value) ? value.length > 0 : value !== undefined
  })
  if (given === 'newFailuresAgainst') return '--no-new-failures-against'
  return given && `--${given.replaceAll(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

async function launchSuite(work: LaunchWork, suite: string): Promise<number> {
  const { client, settings, session, own, modelApiKeys } = work
  const { id: projectId } = await chooseProject(client, settings.project)
  const plan = await planLaunch(client, projectId, suite, own)
  checkGroup(plan, own, modelApiKeys !== undefined)
  await checkBase(client, projectId, work.base)
  const ids = plan.cases.map(({ id }) => id)
  const place = { projectId, suiteId: plan.suite.id }
  const named = session.baseline ? await nameCases(client, place, ids, plan.allCases) : { asked: ids }
  const cases = own.model === undefined ? named : { ...named, replacesModels: true }
  const launch = plannedLaunch(projectId, plan, own, modelApiKeys)
  const idempotencyKey = keyOf(own)
  const going = await earlierOf(work, { ...launch, idempotencyKey })
  if (going.retry) {
    refuseOtherCases(going.retry, launch)
    return await afterLaunch(work, await launchAgain(work, going.retry, projectId, plan), { cases })
  }
  sayAll(session, [...plan.lines, ...retryLines(own)])
  await agree(work, `This launches ${clean(plan.suite.name)} and spends`)
  await going.supersede()
  const options = { signal: session.stop, say: session.reporter.say, wait: own.wait ?? false, idempotencyKey }
  return await afterLaunch(work, await sendLaunch(client, launch, plan, options), { cases })
}

/** Returns the key of a launch. The machines of a job share one, and each of their shards is a launch of its own. */
function keyOf({ idempotencyKey, shard }: RunOptions): string | undefined {
  return idempotencyKey === undefined || !shard ? idempotencyKey : `${idempotencyKey}-${shard.number}/${shard.of}`
}

/** @throws UsageError for an open launch of other cases, such as another shard's */
function refuseOtherCases({ id, input }: JournalEntry, launch: PlannedLaunch): void {
  const casesOf = (body: unknown): string => {
    const ids = (Object(body) as { caseIds?: readonly string[] }).caseIds
    return JSON.stringify(ids?.toSorted() ?? null)
  }
  if (casesOf(input['body']) === casesOf(launch.input.body)) return
  throw new UsageError(`Write ${id} launches other cases. mcpdeck journal send ${id} sends it; --new sends this one.`)
}

/** Checks what an earlier launch of the same kind left open; with JSON output, other open writes are not mentioned. */
function earlierOf({ opened, session, own }: LaunchWork, write: PlannedWrite): Promise<Going> {
  const { reporter, mode } = session
  return goAfterEarlier(opened, write, { ...own, quiet: mode !== 'text', say: reporter.say, signal: session.stop })
}

/** Continues an earlier launch. @throws NoRun if there is no run to follow */
async function launchAgain(
  { opened, session, own }: LaunchWork,
  entry: JournalEntry,
  projectId: string,
  plan: LaunchPlan | undefined,
): Promise<Launched> {
  const decision = await goOnWith(opened, entry, own.yes ?? false)
  if (!decision) throw new NoRun(NOTHING)
  if (decision.finding !== 'happened') throw new NoRun(clean(decision.sentence))
  session.reporter.say(clean(decision.sentence))
  const { answer, result } = decision
  if (plan && answer && entry.operation === contract.runGroups.create.operation)
    return launchedGroup(answer.value as RunGroup, projectId, plan)
  const runId = result?.['runId']
  if (typeof runId === 'string') return { runs: [{ label: '', place: { projectId, runId } }] }
  throw new NoRun('The service does not report which run it is.')
}

async function rerunFailed(work: LaunchWork, text: string): Promise<number> {
  const { client, opened, settings, session, own } = work
  const named = parseRun(text, settings.profile.web)
  const projectId = named.projectId ?? (await chooseProject(client, settings.project)).id
  const source: RunPlace = { projectId, runId: named.runId }
  await checkBase(client, projectId, work.base)
  const { preview, lines, obstacle } = await planRerun(client, source)
  const input = { ...source, body: { scope: 'failed_cases' } }
  const going = await earlierOf(work, { endpoint: contract.runs.rerun, input, idempotencyKey: undefined })
  if (going.retry) {
    const again = await launchAgain(work, going.retry, projectId, undefined)
    return await afterLaunch(work, again, { parent: { runId: source.runId } })
  }
  sayAll(session, [...lines, ...(obstacle === undefined ? [LAUNCH_COST, ...retryLines(own)] : [])])
  if (obstacle !== undefined) throw new NoRun(obstacle)
  const suite = { projectId, suiteId: preview.suiteId }
  const asked = preview.selectedCaseIds
  const cases = session.baseline ? await nameCases(client, suite, asked) : { asked }
  const before = await latestRuns(client, suite)
  await agree(work, 'This launches the failed cases again and spends')
  const now = own.yes === true ? before : await latestRuns(client, suite)
  const meanwhile = launchedMeanwhile(before, now)
  if (meanwhile !== undefined) throw new NoRun(`${meanwhile} ${NOTHING}`)
  await going.supersede()
  const options = { signal: session.stop, say: session.reporter.say, wait: own.wait ?? false }
  const sent = await sendRerun(client, source, { ...suite, before: now }, options)
  if (sent.kind === 'unclear') {
    const sentence = 'The rerun was launched, but the service does not report which run it is.'
    if (work.watch) throw new NoRun(sentence)
    session.reporter.say(sentence)
    return EXIT.done
  }
  const { runId } = sent
  opened.workspace.reruns?.remember(runId, source.runId)
  const launched = { runs: [{ label: '', place: { projectId, runId } }] }
  return await afterLaunch(work, launched, { parent: { runId: source.runId }, cases })
}

function retryLines({ retries }: RunOptions): string[] {
  return retries === undefined ? [] : [`Failed cases run again, at most ${plural(retries, 'time')}, which spends too.`]
}

function sayAll({ reporter }: Session, lines: readonly string[]): void {
  for (const line of lines) reporter.say(line)
}

const NOTHING = 'Nothing was launched.'

/** Asks for confirmation unless `--yes` is given. @throws NoRun if the person declines */
async function agree({ own }: LaunchWork, effect: string): Promise<void> {
  if (own.yes !== true && !(await confirmPrompt(effect))) throw new NoRun(NOTHING)
}

/**
 * @param parent the run that was repeated
 * @param cases the cases that should run, if results are identified by their names
 */
async function afterLaunch(
  work: LaunchWork,
  launched: Launched,
  { parent, cases }: { parent?: Base; cases?: LaunchedCases | undefined },
): Promise<number> {
  const { client, opened, settings, session, own, watch } = work
  const { runs, runGroupId, notStarted = [], whyOther } = launched
  for (const { label, error } of notStarted) session.reporter.say(`${label}: ${error.message}`)
  for (const { label, place } of runs)
    session.reporter.say(`Launched ${label === '' ? '' : `${label}: `}${clean(place.runId)}.`)
  const again = runs.map(({ place }) => `mcpdeck watch projects/${place.projectId}/runs/${place.runId}`)
  const extras = {
    ...(settings.target.kind === 'remote' ? { again: again.join('; ') } : { executed: opened.executed }),
    base: work.base ?? parent,
    ...(own.retries !== undefined && { retry: retrying(work, own.retries) }),
    launched: cases,
    ...(runGroupId !== undefined && { runGroupId }),
    notStarted,
    whyOther,
  }
  return watch ? await session.follow(client, runs, extras) : await printLaunched(session, client, launched)
}

function retrying({ client, opened, session, own }: LaunchWork, retries: number): FollowExtras['retry'] {
  const work = { client, opened, session, retries, wait: own.wait ?? false }
  return (run, follow) => retryFailed(work, run, follow)
}

/**
 * Reads the person's own model keys, by provider, from variables and files; never from an argument, which other users
 * of the machine can read.
 * @param from entries such as `openai=OPENAI_API_KEY`
 * @throws UsageError in a sentence without a key
 */
function readModelKeys(
  from: { variables: readonly string[]; files: readonly string[] },
  env: NodeJS.ProcessEnv,
): Record<string, string> | undefined {
  const keys: Record<string, string> = {}
  for (const [provider, name] of from.variables.map(text => pairOf('--model-key-env', text))) {
    const key = env[name]?.trim()
    if (!key) throw new UsageError(`The variable ${name} of --model-key-env holds no key.`)
    keys[provider] = key
  }
  for (const [provider, file] of from.files.map(text => pairOf('--model-key-file', text)))
    keys[provider] = readSecret(file)
  return Object.keys(keys).length > 0 ? keys : undefined
}

function pairOf(option: string, text: string): readonly [string, string] {
  const [, provider, value] = /^([\w.-]+)=(.+)$/s.exec(text) ?? []
  if (provider !== undefined && value !== undefined) return [provider, value]
  throw new UsageError(`${option} takes PROVIDER=${option.endsWith('env') ? 'VARIABLE' : 'FILE'}.`)
}
