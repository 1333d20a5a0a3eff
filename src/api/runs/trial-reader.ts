import type { CallOptions, Client } from '../client.ts'
import type { EvalIteration } from '../contract/iterations.ts'
import { nextCursorOf } from '../contract/shapes.ts'
import { isOpenTrial } from './trials.ts'

const TRIALS_A_PAGE = 200

/** Reads all trials of a run, again and again. */
export type TrialReader = {
  read: () => Promise<EvalIteration[]>
  /** Requests of the last reading. */
  readonly requests: number
}

/** Full pages of trials that have all ended are read once, so that a long run costs little at its end. */
export function createTrialReader(
  client: Client,
  run: { projectId: string; runId: string },
  options: CallOptions,
): TrialReader {
  let requests = 1
  let kept: readonly EvalIteration[] = []
  let next: string | undefined
  return {
    get requests() {
      return requests
    },
    async read() {
      const trials = [...kept]
      const seen = new Set<string>()
      let isSettled = true
      let cursor = next
      for (let sent = 1; ; sent += 1) {
        const page = await client.iterations.list(
          { ...run, limit: TRIALS_A_PAGE, ...(cursor !== undefined && { cursor }) },
          options,
        )
        trials.push(...page.items)
        requests = sent
        cursor = nextCursorOf(page)
        // A cursor that comes back would never end.
        if (cursor === undefined || seen.has(cursor)) return trials
        seen.add(cursor)
        isSettled &&= !page.items.some(isOpenTrial)
        if (!isSettled) continue
        kept = [...trials]
        next = cursor
      }
    },
  }
}
