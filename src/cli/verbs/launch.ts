import { setTimeout as delay } from 'node:timers/promises'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import type { PlannedWrite } from '../../api/client/journal/entry.ts'
import { contract } from '../../api/contract/contract.ts'
import type { JourneyRun } from '../../api/contract/journey-runs.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import { journeyRunState } from '../../domain/findings/waves.ts'
import { gradesText } from '../../domain/swarms/waves.ts'
import { systemClock } from '../../lib/clock.ts'
import { jsonText } from '../../lib/printable.ts'
import { effectLines, quotaOf } from '../../domain/swarms/actions.ts'
import { clean } from '../../tui/theme/text.ts'
import { plural } from '../../lib/format.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { isPassing, pauseAfter } from '../follow/follow-run.ts'
import { ANSWERS_AGAIN, lostSentence } from '../follow/reporter.ts'
import { goAfterEarlier } from '../journal/earlier-writes.ts'
import { sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

export type LaunchWaveOptions = WriteOptions & {
  json?: boolean
  environment: readonly string[]
  watch?: boolean
  timeout?: number
}

const LOOK_MS = 1000

/** Runs `mcpdeck launch`: launches a journey, or the journeys of a swarm, as one wave; prints the id of the wave. */
export async function launch(
  context: CommandContext,
  [wanted = '']: readonly string[],
  own: LaunchWaveOptions,
): Promise<number> {
  if (own.timeout !== undefined && !own.watch) throw new UsageError('--timeout needs the end of the run: add --watch.')
  const { client } = context
  const projectId = await context.projectId()
  const journeys = await journeysOf(context, wanted)
  const environmentIds: string[] = []
  for (const name of own.environment) environmentIds.push((await context.find('environments', name)).id)
  // The remaining problems are advice: only the service refuses a launch.
  const quota = quotaOf(
    await client.projects.capabilities({ projectId }).catch(() => undefined),
    await client.journeyRuns.overview({ projectId }).catch(() => undefined),
    serviceNow(),
  )
  const waveId = crypto.randomUUID()
  const body = { waveId, ...(environmentIds.length > 0 && { environmentIds }) }
  const effect =
    'This launches ' + (journeys.length === 1 ? clean(journeys[0]!.name) : plural(journeys.length, 'journey'))
  const lines = effectLines(journeys, environmentIds, quota).map(({ text }) => text)
  const runs = []
  const writes = journeys.map(({ id: journeyId }) => ({
    endpoint: contract.journeyRuns.launch,
    input: { projectId, journeyId, body },
  }))
  await refuseInDoubt(context, writes.slice(1), own)
  for (const [index, { name }] of journeys.entries()) {
    const write = { ...writes[index]!, effect, ...(index === 0 && { lines }) }
    const sending = sendWrite(context, write, { ...own, yes: own.yes === true || index > 0 })
    const { value } = await sending.catch((error: unknown) => {
      if (index > 0 && error instanceof ApiError)
        say(
          clean(
            `${index} of ${journeys.length} journeys were launched; then ${name} failed, and none was sent after it.`,
          ),
        )
      throw error
    })
    say(clean(`${name}: ${value.deduped ? 'launched before' : 'launched'} as ${value.id}.`))
    runs.push(value)
    // If the next launch fails, this names the wave in progress.
    if (index === 0 && !own.json) printText(waveId)
  }
  const states = own.watch ? await untilOver(context, runs, own.timeout) : undefined
  if (own.json)
    printReceived(jsonText({ waveId, runs: runs.map((run, at) => ({ ...run, state: states?.[at]?.state })) }))
  if (!states) return EXIT.done
  const isDone = states.length === runs.length && states.every(each => each.state === 'completed' && each.isGraded)
  return isDone ? EXIT.done : EXIT.noVerdict
}

/** Before the first launch spends credits, checks whether others may have happened already. @throws ApiError */
async function refuseInDoubt(
  { saved }: CommandContext,
  writes: readonly PlannedWrite[],
  { new: isNew = false, inDoubt, retry }: LaunchWaveOptions,
): Promise<void> {
  if (!saved || retry !== undefined) return
  const quietly = { new: isNew || inDoubt === 'new', quiet: true, say: () => undefined, repeats: false }
  for (const write of writes) await goAfterEarlier(saved.opened, write, quietly)
}

/** Returns the journey with this id or name, or the journeys of the swarm with this id or name. */
async function journeysOf(context: CommandContext, wanted: string): Promise<readonly Journey[]> {
  const all = await context.client.items(contract.journeys.list, { projectId: await context.projectId() })
  const exact = all.filter(({ id }) => id === wanted)
  const named = exact.length > 0 ? exact : all.filter(({ name }) => name === wanted)
  if (named.length === 1) return named
  if (named.length > 1) {
    const ids = named.map(({ id }) => id).join(', ')
    throw new UsageError(`There are ${named.length} journeys called "${clean(wanted)}"; name one by its id: ${ids}.`)
  }
  const swarm = await context.find('swarms', wanted).catch((error: unknown) => {
    if (!(error instanceof UsageError)) throw error
    throw new UsageError(`There is no journey "${clean(wanted)}", and as a swarm: ${error.message}`)
  })
  const own = all.filter(({ swarmId }) => swarmId === swarm.id)
  if (own.length === 0) throw new UsageError(`The swarm "${clean(wanted)}" has no journey to launch.`)
  return own
}

/** How a run ended; `isGraded` is false if grades of its sessions are missing, so that their results are unknown. */
type End = { state: string | undefined; isGraded: boolean }

/**
 * Returns whether the finished sessions of a run have their grades, and a sentence if not. A run without any grade does
 * not say whether it has graders, so what its sessions reached is unknown.
 */
function gradingOf({ id, failedGradingCount, summary, sessionsGraded }: JourneyRun) {
  if (failedGradingCount) return { isGraded: false }
  const ungraded = (summary?.succeeded ?? 0) - (sessionsGraded ?? 0)
  if (ungraded <= 0) return { isGraded: true }
  const sentence = `${plural(ungraded, 'finished session')} of ${id} ${ungraded === 1 ? 'has' : 'have'} no grade.`
  return { isGraded: false, sentence }
}

/** Says how a run ended; a session that ran to its end has not necessarily reached its goal. */
function endSentence(run: JourneyRun): string {
  const ended = `${run.summary?.succeeded ?? 0} of ${run.summary?.total ?? '?'} sessions succeeded`
  return `${[ended, gradesText(run)].filter(Boolean).join(', ')}.`
}

/**
 * Waits for the end of runs, reporting each; resolves to how they ended, without the runs that the time limit cut off.
 */
async function untilOver(
  context: CommandContext,
  runs: readonly { id: string }[],
  timeout: number | undefined,
): Promise<End[]> {
  const late = new AbortController()
  const cancel = timeout === undefined ? undefined : systemClock.after(timeout, () => late.abort())
  const ends: End[] = []
  try {
    for (const { id } of runs) {
      const run = await endOf(context, id, late.signal)
      if (!run) {
        say('No end within the time given; what was launched continues, and mcpdeck get waves shows it.')
        break
      }
      const state = journeyRunState(run)
      say(clean(`${id} is ${state ?? run.status}: ${endSentence(run)}`))
      const { isGraded, sentence } = gradingOf(run)
      if (sentence !== undefined) say(clean(sentence))
      ends.push({ state, isGraded })
    }
    return ends
  } finally {
    cancel?.()
  }
}

/**
 * Returns a run once it has ended, even if the connection is lost meanwhile; undefined if the time limit comes first.
 */
async function endOf(context: CommandContext, runId: string, late: AbortSignal): Promise<JourneyRun | undefined> {
  const projectId = await context.projectId()
  let failures = 0
  while (!late.aborted) {
    const run = await context.client.journeyRuns.get({ projectId, runId }, { signal: late }).catch((error: unknown) => {
      if (late.aborted) return undefined
      if (!(error instanceof ApiError) || !isPassing(error)) throw error
      failures += 1
      if (failures === 1) say(clean(lostSentence('', error)))
      return undefined
    })
    if (run && failures > 0) {
      failures = 0
      say(ANSWERS_AGAIN)
    }
    if (run && run.status !== 'running') return run
    await delay(run ? LOOK_MS : pauseAfter(failures), undefined, { signal: late }).catch(() => undefined)
  }
  return undefined
}
