import { isMissing } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { Gate } from '../../domain/runs/gates.ts'
import { outcomeOfRun } from '../../domain/runs/outcome.ts'
import type { WebAddresses } from '../../tui/router/web-address.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { parseRun, type NamedRun, type RunPlace } from './reference.ts'

/** What a run is to be compared with: a run, or a word for one that is chosen when the run has ended. */
export type Base = NamedRun | keyof typeof CHOSEN_LATER

/**
 * The run that a base stands for; the service chooses where there is none, and `why` is a sentence where nothing can
 * be.
 */
type Found = { baseRunId?: string } | { why: string }
type Compared = { client: Client; place: RunPlace; run: EvalRun; signal: AbortSignal }

/** Each word for a base, with how it is found. */
const CHOSEN_LATER = { last: latestWithVerdict, baseline: async (): Promise<Found> => ({}) }

/**
 * What the gates compare with, if one of them does.
 * @param pages addresses of the hosted UI, as the profile names them
 * @throws UsageError when that names no run
 */
export function baseOf(gates: readonly Gate[], pages?: WebAddresses): Base | undefined {
  const gate = gates.find(each => each.gate === 'no-new-failures-against')
  if (!gate) return undefined
  return isChosenLater(gate.wanted) ? gate.wanted : parseRun(gate.wanted, pages)
}

function isChosenLater(text: string): text is keyof typeof CHOSEN_LATER {
  return Object.hasOwn(CHOSEN_LATER, text)
}

/**
 * Makes sure that a run named as a base is there, and of this project, before anything spends.
 * @throws UsageError when it is not
 */
export async function checkBase(client: Client, projectId: string, base: Base | undefined): Promise<void> {
  if (base === undefined || typeof base === 'string') return
  const { runId } = base
  if (base.projectId !== undefined && base.projectId !== projectId)
    throw new UsageError(
      `Run ${runId} is of project ${base.projectId}, and only runs of one project are compared, here of ${projectId}.`,
    )
  try {
    await client.runs.get({ projectId, runId })
  } catch (error) {
    if (isMissing(error))
      throw new UsageError(
        `There is no run "${runId}" to compare with in this project; mcpdeck get runs lists those there are.`,
      )
    throw error
  }
}

/** @throws ApiError */
export async function findBase(base: Base, compared: Compared): Promise<Found> {
  return typeof base === 'string' ? await CHOSEN_LATER[base](compared) : { baseRunId: base.runId }
}

const LATEST_RUNS = 100

/** The latest earlier run of the suite that has a verdict. */
async function latestWithVerdict({ client, place: { projectId }, run, signal }: Compared): Promise<Found> {
  const input = { projectId, suiteId: run.suiteId, limit: LATEST_RUNS }
  const { items } = await client.runs.list(input, { signal })
  const place = items.findIndex(({ id }) => id === run.id)
  const earlier = items.slice(place + 1).find(other => {
    const outcome = outcomeOfRun(other)
    return outcome === 'passed' || outcome === 'failed'
  })
  return earlier ? { baseRunId: earlier.id } : { why: 'the suite has no earlier run with a verdict' }
}
