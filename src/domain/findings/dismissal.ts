import { ApiError, isLineFault } from '../../api/client/errors/api-error.ts'
import { findingName, type Finding } from './finding.ts'

/** The plan for the selected findings, before anything is sent. */
export type DismissalPlan = {
  send: readonly Finding[]
  /** Findings that already are in the wanted state and are not changed. */
  already: readonly Finding[]
  /** Findings without an id. */
  nameless: readonly Finding[]
}

/** @param dismissed whether to dismiss them or to show them again */
export function planDismissals(findings: readonly Finding[], dismissed: boolean): DismissalPlan {
  return {
    send: findings.filter(each => each.id !== undefined && each.isDismissed !== dismissed),
    already: findings.filter(each => each.id !== undefined && each.isDismissed === dismissed),
    nameless: findings.filter(each => each.id === undefined),
  }
}

export type DismissalOutcome = {
  done: readonly Finding[]
  refused: readonly { finding: Finding; error: unknown }[]
  /** Findings whose answer was lost: the write may have been carried out. */
  doubtful: readonly { finding: Finding; error: unknown }[]
  /**
   * Findings that were not sent: the person stopped, the connection failed, or earlier findings were refused for lack
   * of rights.
   */
  unsent: readonly Finding[]
}

/**
 * Number of refusals in a row after which the rest of a list is assumed to be refused too, since all findings need the
 * same right.
 */
const FORBIDDEN_IN_A_ROW = 2

/**
 * Sends the writes in order, and continues after refusals. Ends early if it is stopped or the service no longer
 * answers. A list without the required right is abandoned after a second refusal.
 */
export async function sendDismissals(
  findings: readonly Finding[],
  options: {
    send: (finding: Finding) => Promise<unknown>
    signal: AbortSignal
    /** Called after each finding with the number finished. */
    onEach?: (finding: Finding, ended: number, wasDone: boolean) => void
  },
): Promise<DismissalOutcome> {
  const done: Finding[] = []
  const refused: { finding: Finding; error: unknown }[] = []
  const doubtful: { finding: Finding; error: unknown }[] = []
  const unsent: Finding[] = []
  const forbidden = new Map<string, number>()
  let isOver = false
  for (const [index, finding] of findings.entries()) {
    const list = finding.scenario?.id ?? finding.source
    if (isOver || options.signal.aborted || (forbidden.get(list) ?? 0) >= FORBIDDEN_IN_A_ROW) {
      unsent.push(finding)
      continue
    }
    try {
      await options.send(finding)
      done.push(finding)
      forbidden.delete(list)
      options.onEach?.(finding, index + 1, true)
    } catch (error) {
      const wasStopped = options.signal.aborted && error instanceof ApiError && !error.sent
      if (wasStopped) unsent.push(finding)
      else if (!(error instanceof ApiError) || error.leavesDoubt) doubtful.push({ finding, error })
      else refused.push({ finding, error })
      if (isForbidden(error)) forbidden.set(list, (forbidden.get(list) ?? 0) + 1)
      else forbidden.delete(list)
      isOver = isLineFault(error)
      options.onEach?.(finding, index + 1, false)
    }
  }
  return { done, refused, doubtful, unsent }
}

/** Returns the findings of lost answers that are as wanted now, so that their writes were carried out. */
export function carriedOut(
  { doubtful }: Pick<DismissalOutcome, 'doubtful'>,
  dismissed: boolean,
  now: ReadonlyMap<string, Finding>,
): Finding[] {
  return doubtful.flatMap(({ finding }) => (now.get(finding.key)?.isDismissed === dismissed ? [finding] : []))
}

export function isForbidden(error: unknown): boolean {
  return error instanceof ApiError && error.kind === 'http' && error.status === 403
}

/** The findings that were last dismissed or shown again, in the state they were left in, for undo. */
export type DismissalBatch = {
  dismissed: boolean
  entries: readonly {
    key: string
    id: string | undefined
    name: string
    scenarioId: string | undefined
    status: string | undefined
    dismissedAt: number | undefined
  }[]
}

/**
 * Returns the batch that an undo would restore.
 * @param left the findings as read after the last write
 */
export function batchOf(
  dismissed: boolean,
  done: readonly Finding[],
  left: ReadonlyMap<string, Finding>,
): DismissalBatch {
  return {
    dismissed,
    entries: done.map(finding => {
      const { status, dismissedAt } = left.get(finding.key) ?? {}
      const { key, id, scenario } = finding
      return { key, id, name: findingName(finding), scenarioId: scenario?.id, status, dismissedAt }
    }),
  }
}

export type UndoPlan = {
  send: readonly Finding[]
  /** Findings whose dismissal someone else has changed in the meantime. They are never overwritten. */
  skipped: readonly { key: string; name: string; why: string }[]
  /** Findings whose status has changed in the meantime. Their dismissal is undone all the same. */
  moved: readonly { key: string; name: string; from: string; to: string }[]
}

/**
 * Returns which findings of a batch can be undone.
 * @param now the current findings
 * @param unread scenarios whose list could not be read, so that the state of their findings is unknown
 */
export function planUndo(
  batch: DismissalBatch,
  now: ReadonlyMap<string, Finding>,
  unread: ReadonlySet<string | undefined> = new Set(),
): UndoPlan {
  const send: Finding[] = []
  const skipped: UndoPlan['skipped'][number][] = []
  const moved: UndoPlan['moved'][number][] = []
  for (const { key, name, scenarioId, status, dismissedAt } of batch.entries) {
    const finding = now.get(key)
    const why = unread.has(scenarioId)
      ? 'its list cannot be read now'
      : whySkipped(batch.dismissed, dismissedAt, finding)
    if (!finding || why !== undefined) {
      skipped.push({ key, name, why: why ?? 'it is gone' })
      continue
    }
    send.push(finding)
    if (status !== undefined && finding.status !== undefined && finding.status !== status)
      moved.push({ key, name, from: status, to: finding.status })
  }
  return { send, skipped, moved }
}

function whySkipped(dismissed: boolean, leftAt: number | undefined, finding: Finding | undefined): string | undefined {
  if (!finding) return 'it is gone'
  if (finding.isDismissed !== dismissed)
    return dismissed ? 'someone has shown it again' : 'someone has dismissed it again'
  if (dismissed && leftAt !== undefined && finding.dismissedAt !== leftAt) return 'someone has dismissed it again'
  return undefined
}
