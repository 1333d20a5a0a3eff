import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { judgeAdvice } from '../../domain/runs/judges.ts'
import { sleep, systemClock } from '../../lib/clock.ts'
import { intervalOf, type Followed } from './follow-run.ts'
import type { RunPlace } from './reference.ts'

/** Maximum time that the reports of a run wait for its judge, in milliseconds. */
const LONGEST_WAIT_MS = 120_000

/** Milliseconds after the end of a run within which a service should start the suite's judge. */
const START_MS = 10_000

type JudgeWait = { stop: AbortSignal; say: (text: string) => void; longestMs?: number }

/**
 * Returns a finished run after its judge has graded it: a judge starts when its run has ended. If the judge is not done
 * in time, or the run can no longer be read, the judge is left out with a message.
 */
export async function withJudge(
  client: Client,
  { projectId, runId }: RunPlace,
  followed: Followed,
  { stop, say, longestMs = LONGEST_WAIT_MS }: JudgeWait,
): Promise<Followed> {
  if (followed.kind !== 'ended') return followed
  const options = { signal: stop, owner: runId, priority: 'visible', purpose: 'live' } as const
  let { run } = followed
  const until = systemClock.now() + longestMs
  let polls = 0
  try {
    while (isPending(run) || (await mayBegin(client, projectId, run, options))) {
      if (polls === 0) say('The run has ended. Waiting for its judge.')
      if (systemClock.now() >= until) break
      await sleep(intervalOf(client, 1, (polls += 1)), systemClock, stop)
      run = await client.runs.get({ projectId, runId }, options)
    }
  } catch (error) {
    if (!stop.aborted && !(error instanceof ApiError)) throw error
  }
  if (isPending(run) || (polls > 0 && judgeAdvice(run.judges).length === 0))
    say('No grades of the judge yet; the report goes without them.')
  return { ...followed, run }
}

function isPending({ judges }: EvalRun): boolean {
  return judgeAdvice(judges).some(each => each.isPending)
}

/** Whether the judge that the suite starts after each run may still start. */
async function mayBegin(
  client: Client,
  projectId: string,
  { status, suiteId, completedAt, judges }: EvalRun,
  options: { signal: AbortSignal },
): Promise<boolean> {
  const isUnasked = status === 'completed' && judges?.goalCompletion?.status === null
  if (!isUnasked || serviceNow() - (toEpochMs(completedAt) ?? 0) > START_MS) return false
  const { settings } = await client.suites.get({ projectId, suiteId }, options)
  return settings?.judge?.enabled === true && settings.judge.autoRun === true
}
