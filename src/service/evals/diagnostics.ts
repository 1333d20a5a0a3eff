import { RERUN_REASONS } from '../../api/contract/runs.ts'
import { ServiceError } from '../errors.ts'
import type { TrialClass } from './types.ts'

/** Failures on a page unless told otherwise (contract: "Decision summary"). */
const DEFAULT_LIMIT = 20

/** Which part of the failures to show: after the iteration that `cursor` names. */
export type DiagnosticsPage = { cursor?: string; limit?: number }

export type Diagnostics = {
  /** True when the list holds every failure of an ended run; a page fetched with a cursor never is. */
  complete: boolean
  /** Trials looked at for this page. */
  scannedIterations: number
  nextCursor: string | null
  failures: Failure[]
}

type Diagnosed = {
  iterationId: string
  caseId: string
  title: string
  iterationNumber: number
  class: TrialClass
  error?: string | null | undefined
}

type Failure = Omit<Diagnosed, 'error'> & { reason: string | null }

/**
 * The trials that want an explanation, a page at a time. The cursor is the last shown iteration's id: stable while
 * trials settle, and refused when it is not of this run.
 * @throws ServiceError `VALIDATION_ERROR` on a cursor of another run
 */
export function diagnose(
  trials: readonly Diagnosed[],
  ended: boolean,
  page: DiagnosticsPage = {},
): Diagnostics {
  const { cursor, limit = DEFAULT_LIMIT } = page
  const start = cursor === undefined ? 0 : trials.findIndex(trial => trial.iterationId === cursor) + 1
  if (cursor !== undefined && start === 0)
    throw new ServiceError('VALIDATION_ERROR', 'The cursor is not of this run.', {
      details: { field: 'cursor' },
    })
  const failures: Failure[] = []
  let at = start
  for (; at < trials.length && failures.length < limit; at++) {
    const trial = trials[at]
    if (trial && wantsExplanation(trial)) failures.push(toFailure(trial))
  }
  const more = trials.slice(at).some(wantsExplanation)
  return {
    complete: ended && cursor === undefined && !more,
    scannedIterations: at - start,
    nextCursor: more ? (failures.at(-1)?.iterationId ?? null) : null,
    failures,
  }
}

/** The classes that a rerun would select, without those that have not happened yet. */
function wantsExplanation(trial: Diagnosed): boolean {
  return trial.class !== 'pending' && (RERUN_REASONS as readonly string[]).includes(trial.class)
}

function toFailure({
  iterationId,
  caseId,
  title,
  iterationNumber,
  class: trialClass,
  error,
}: Diagnosed): Failure {
  return { iterationId, caseId, title, iterationNumber, class: trialClass, reason: error ?? null }
}
