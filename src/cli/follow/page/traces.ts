import { ApiError, isMissing } from '../../../api/client/errors/api-error.ts'
import type { Client } from '../../../api/client/client.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { causeOf } from '../../../domain/runs/causes.ts'
import { variantNames } from '../../../domain/runs/variants.ts'
import { plural } from '../../../lib/format.ts'
import { errorLine } from '../../output/report-error.ts'
import type { Followed } from '../follow-run.ts'
import type { RunPlace } from '../reference.ts'
import type { TrialTrace } from './spans.ts'

/** Traces by the id of their trial, how many were asked for, and what could not be read, a sentence each. */
export type Traces = { traces: ReadonlyMap<string, TrialTrace>; tried: number; unread: readonly string[] }

/**
 * Reads the traces of trials that did not pass, one after the other within the budget: each takes two requests. An
 * answer that is missing is noted; any other failure ends the reading, since the next request would fail as well.
 * @param most maximum number of traces
 */
export async function readTraces(
  client: Client,
  place: RunPlace,
  { trials }: Pick<Followed, 'trials'>,
  { most, stop }: { most: number; stop: AbortSignal },
): Promise<Traces> {
  const nameOf = variantNames(trials)
  const wanted = trials.filter(trial => causeOf(trial) !== undefined && trial.startedAt != null)
  const traces = new Map<string, TrialTrace>()
  const unread: string[] = []
  let tried = 0
  for (const trial of wanted.slice(0, most))
    try {
      tried += 1
      traces.set(trial.id, await readTrace(client, place, trial, stop))
    } catch (error) {
      if (!(error instanceof ApiError) && !stop.aborted) throw error
      const why = stop.aborted ? 'it was stopped.' : errorLine(error)
      if (isMissing(error)) unread.push(`The trace of ${nameOf(trial)}, trial ${trial.iterationNumber}: ${why}`)
      else {
        unread.push(`${plural(Math.min(wanted.length, most) - tried + 1, 'trace')} of trials that did not pass: ${why}`)
        break
      }
    }
  const more = wanted.length - most
  if (more > 0) unread.push(`${plural(more, 'trace')} of trials that did not pass: --traces limits how many are read.`)
  return { traces, tried, unread }
}

async function readTrace(client: Client, place: RunPlace, trial: EvalIteration, signal: AbortSignal) {
  const input = { ...place, iterationId: trial.id }
  const document = await client.iterations.trace(input, { signal })
  const { items } = await client.iterations.steps(input, { signal })
  return { document, steps: items }
}
