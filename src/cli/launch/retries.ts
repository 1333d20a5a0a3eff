import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { parentOf } from '../../domain/runs/comparison-groups.ts'
import { latestRuns } from '../../domain/runs/rerun-launch.ts'
import { whyNotCounted, type EndedRun } from '../../domain/runs/retries.ts'
import { trialState } from '../../domain/runs/trials.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { NOT_ENDED, type RerunAttempt } from '../follow/conclusion.ts'
import { NoRun, type Followed } from '../follow/follow-run.ts'
import type { RunPlace } from '../follow/reference.ts'
import type { SessionContext } from '../follow/session.ts'
import { goAfterEarlier } from '../journal/earlier-writes.ts'
import { errorLine } from '../output/report-error.ts'
import { planRerun, sendRerun } from './rerun.ts'

export type RetryWork = Pick<SessionContext, 'client' | 'opened' | 'session'> & { retries: number; wait: boolean }

/** A run whose failed cases run again, with its place. */
export type RetriedRun = { place: RunPlace; own: EndedRun }

/**
 * Reruns the failed cases of an ended run, then those that fail in the rerun, up to `retries` times. Ends early when
 * nothing is left to rerun, or a rerun does not count.
 * @param follow follows a rerun to its end
 */
export async function retryFailed(
  work: RetryWork,
  { place, own }: RetriedRun,
  follow: (place: RunPlace, label: string) => Promise<Followed>,
): Promise<RerunAttempt[]> {
  const { session, retries } = work
  const attempts: RerunAttempt[] = []
  let source = { place, own }
  while (attempts.length < retries && !session.stop.aborted) {
    const label = `retry ${attempts.length + 1} of ${retries}`
    const found = await rerunOf(work, source.place, label)
    if (found === undefined) break
    if ('why' in found) {
      attempts.push({ runId: null, ...found })
      break
    }
    const followed = await follow(found.place, label)
    const why = whyDoubted(source.own, followed, found.isNamed)
    const { runId } = found.place
    if (why !== undefined || followed.kind !== 'ended') {
      attempts.push({ runId, mayHaveRun: true, why: why ?? followed.kind })
      break
    }
    const ended = { run: followed.run, trials: followed.trials }
    attempts.push({ runId, ended, mayHaveRun: true, why: null })
    if (ended.trials.length > 0 && ended.trials.every(trial => trialState(trial) === 'passed')) break
    source = { place: found.place, own: ended }
  }
  return attempts
}

type Found = { place: RunPlace; isNamed: boolean } | { why: string; mayHaveRun: boolean }

/** Launches a rerun, or finds the one that a repeated job launched before; undefined if there is nothing to rerun. */
async function rerunOf(
  { client, opened, session, wait }: RetryWork,
  source: RunPlace,
  label: string,
): Promise<Found | undefined> {
  const { stop, reporter, mode } = session
  let isSent = false
  try {
    const { preview, obstacle } = await planRerun(client, source, { signal: stop })
    if (preview.sourceTerminal && preview.selectedCaseCount === 0) return undefined
    if (obstacle !== undefined) return { why: obstacle, mayHaveRun: false }
    const suite = { projectId: source.projectId, suiteId: preview.suiteId }
    const before = await latestRuns(client, suite, { signal: stop })
    const earlier = before.findLast(run => parentOf(run) === source.runId)
    if (earlier) return { place: { ...source, runId: earlier.id }, isNamed: true }
    const write = { endpoint: contract.runs.rerun, input: { ...source, body: { scope: 'failed_cases' } } }
    const going = await goAfterEarlier(
      opened,
      { ...write, idempotencyKey: undefined },
      { quiet: mode !== 'text', say: reporter.say, repeats: false, signal: stop },
    )
    if (going.retry === undefined) await going.supersede()
    reporter.say(`Running ${plural(preview.selectedCaseCount, 'failed case')} again, ${label}.`)
    isSent = true
    const sent = await sendRerun(client, source, { ...suite, before }, { signal: stop, say: reporter.say, wait })
    if (sent.kind === 'unclear') return { why: 'the service does not report which run it is', mayHaveRun: true }
    if (sent.kind === 'named') opened.workspace.reruns?.remember(sent.runId, source.runId)
    reporter.say(`Launched ${clean(sent.runId)}.`)
    return { place: { ...source, runId: sent.runId }, isNamed: sent.kind === 'named' }
  } catch (error) {
    if (stop.aborted) return { why: 'it was stopped', mayHaveRun: isSent }
    if (error instanceof NoRun) return { why: error.message, mayHaveRun: false }
    if (!(error instanceof ApiError)) throw error
    return { why: errorLine(error), mayHaveRun: error.leavesDoubt }
  }
}

/** Returns why a rerun says nothing about the cases of its source; undefined if it counts. */
function whyDoubted(source: EndedRun, followed: Followed, isNamed: boolean): string | undefined {
  if (followed.kind !== 'ended') return 'error' in followed ? errorLine(followed.error) : NOT_ENDED
  const { run, trials } = followed
  const parent = parentOf(run)
  // Someone else may have launched another run at the same moment.
  if (parent === undefined ? !isNamed : parent !== source.run.id) return 'it is not known to repeat this run'
  return whyNotCounted(source, { run, trials })
}
