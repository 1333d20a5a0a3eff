import { RERUN_REASONS } from '../../api/contract/runs.ts'
import { ServiceError } from '../core/errors.ts'
import type { GradedTrial, GradedTrials } from './types.ts'

/** Default number of failures on a page (contract: "Decision summary"). */
const DEFAULT_LIMIT = 20

/** Which page of failures to return. It starts after the iteration that `cursor` names. */
export type DiagnosticsPage = { cursor?: string; limit?: number }

export type Diagnostics = {
  /** Whether the list contains every failure of an ended run. Never true for a page fetched with a cursor. */
  complete: boolean
  /** Number of trials examined for this page. */
  scannedIterations: number
  nextCursor: string | null
  failures: Failure[]
}

type Failure = Omit<GradedTrial, 'error' | 'position'> & { reason: string | null }

/** The classes of trials that a rerun selects, except trials that have not run yet. */
const UNEXPLAINED = RERUN_REASONS.filter(reason => reason !== 'pending')

/**
 * Returns a page of the trials that have no verdict or did not pass. The cursor is the id of the last iteration.
 * @throws ServiceError `VALIDATION_ERROR` on a cursor of another run
 */
export function diagnose(
  trials: Pick<GradedTrials, 'first' | 'positionOf'>,
  { total, ended }: { total: number; ended: boolean },
  page: DiagnosticsPage = {},
): Diagnostics {
  const { cursor, limit = DEFAULT_LIMIT } = page
  const behind = cursor === undefined ? -1 : trials.positionOf(cursor)
  if (behind === undefined)
    throw new ServiceError('VALIDATION_ERROR', 'The cursor is not of this run.', { details: { field: 'cursor' } })
  const found = trials.first(UNEXPLAINED, limit + 1, behind)
  const shown = found.slice(0, limit)
  const more = found.length > limit
  const last = shown.length === limit ? shown.at(-1)?.position : undefined
  return {
    complete: ended && cursor === undefined && !more,
    scannedIterations: (last ?? total - 1) - behind,
    nextCursor: more ? (shown.at(-1)?.iterationId ?? null) : null,
    failures: shown.map(toFailure),
  }
}

function toFailure({ iterationId, caseId, title, iterationNumber, class: trialClass, error }: GradedTrial): Failure {
  return { iterationId, caseId, title, iterationNumber, class: trialClass, reason: error ?? null }
}
