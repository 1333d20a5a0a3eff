import { resultOf, type JournalEntry } from '../../api/client/journal/entry.ts'
import type { Journal } from '../../api/client/journal/journal.ts'
import { REPEAT_WITHIN_MS } from '../../api/client/journal/resolve.ts'
import { contract } from '../../api/contract/contract.ts'
import type { JourneyRunLaunched } from '../../api/contract/journey-runs.ts'
import type { Journey } from '../../api/contract/journeys.ts'

/** A wave of which the answer to some launch was lost: sent again like this, nothing of it starts twice. */
export type LostWave = { waveId: string; environmentIds: readonly string[]; keys: ReadonlyMap<string, string> }

/** What makes two launches the same request within a wave. */
export function intentOf(journeyId: string, environmentIds: readonly string[]): string {
  return [journeyId, ...environmentIds].join('\n')
}

/**
 * The wave whose launch of one of these journeys has no known end, the latest one; undefined where there is none.
 * @param now epoch milliseconds
 */
export async function lostWave(
  journal: Journal | undefined,
  projectId: string,
  journeys: readonly Journey[],
  now: number,
): Promise<LostWave | undefined> {
  const ids = new Set(journeys.map(({ id }) => id))
  const launches = ((await journal?.unresolved()) ?? []).flatMap(entry => launchIn(entry, projectId, now) ?? [])
  const own = launches.findLast(({ journeyId }) => ids.has(journeyId))
  if (!own) return undefined
  const { waveId, environmentIds } = own
  const keys = launches
    .filter(each => each.waveId === waveId)
    .map(each => [intentOf(each.journeyId, each.environmentIds), each.key] as const)
  return { waveId, environmentIds, keys: new Map(keys) }
}

/** Ends entries whose request was sent again under its key: that answer is theirs too. */
export async function settleLost(journal: Journal | undefined, key: string, run: JourneyRunLaunched): Promise<void> {
  if (!journal) return
  for (const entry of await journal.unresolved()) {
    if (entry.idempotencyKey !== key) continue
    const claim = await journal.claim(entry)
    claim?.conclude('happened', { outcome: 'succeeded', result: resultOf(run) })
  }
}

function launchIn({ operation, input, idempotencyKey: key, ...entry }: JournalEntry, projectId: string, now: number) {
  if (operation !== contract.journeyRuns.launch.operation || input['projectId'] !== projectId) return undefined
  if (!entry.complete || now - entry.intendedAt > REPEAT_WITHIN_MS) return undefined
  const { waveId, environmentIds = [] } = Object(input['body']) as { waveId?: string; environmentIds?: string[] }
  const journeyId = input['journeyId']
  if (typeof journeyId !== 'string' || waveId === undefined || key === undefined) return undefined
  return { journeyId, waveId, environmentIds, key }
}
