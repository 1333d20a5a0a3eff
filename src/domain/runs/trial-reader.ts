import type { CallOptions, Client } from '../../api/client/client.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { nextCursorOf } from '../../api/contract/shapes.ts'
import { pagesToRefresh } from '../../lib/pages-to-refresh.ts'
import { isOpenTrial } from './trials.ts'

const TRIALS_A_PAGE = 200

/** Reads all trials of a run, again and again. */
export type TrialReader = {
  read: () => Promise<EvalIteration[]>
  /** Requests of the last reading. */
  readonly requests: number
  /** Whether all pages have been read by now. */
  readonly isWhole: boolean
}

export type TrialReaderOptions = {
  /** What is kept of each trial, where a run of any length is followed for less than all of it. */
  keep?: (trial: EvalIteration) => EvalIteration
  /**
   * Most pages of one reading: pages that were never read come first, and what is not read again is given as it was.
   */
  maxPagesPerPoll?: number
}

type Page = { cursor: string | undefined; items: EvalIteration[]; next: string | undefined; readAt: number }

/**
 * Full pages of trials that have all ended are read once, so that a long run costs little at its end.
 */
export function createTrialReader(
  client: Client,
  run: { projectId: string; runId: string },
  options: CallOptions,
  { keep = trial => trial, maxPagesPerPoll = Infinity }: TrialReaderOptions = {},
): TrialReader {
  let requests = 1
  let readings = 0
  let pages: readonly Page[] = []
  const pageAt = async (cursor: string | undefined): Promise<Page> => {
    const input = { ...run, limit: TRIALS_A_PAGE, ...(cursor !== undefined && { cursor }) }
    const answer = await client.iterations.list(input, options)
    readings += 1
    return { cursor, items: answer.items.map(keep), next: nextCursorOf(answer), readAt: readings }
  }
  return {
    get requests() {
      return requests
    },
    get isWhole() {
      return pages.length > 0 && !goesOn(pages)
    },
    async read() {
      const found = pages.length === 0 ? [await pageAt(undefined)] : []
      const all = () => [...pages, ...found]
      while (found.length < maxPagesPerPoll && goesOn(all())) found.push(await pageAt(all().at(-1)?.next))
      const round = pagesToRefresh(pages, { isOpen, readAt: page => page.readAt, most: maxPagesPerPoll - found.length })
      const read: Page[] = []
      for (const page of pages) read.push(round.has(page) ? await pageAt(page.cursor) : page)
      // The page that was the last may have got one behind it only now.
      pages = [...read, ...found]
      requests = Math.max(1, round.size + found.length)
      return pages.flatMap(({ items }) => items)
    },
  }
}

/** Whether there are pages behind these; a cursor that comes back would never end. */
function goesOn(pages: readonly Page[]): boolean {
  const next = pages.at(-1)?.next
  return next !== undefined && pages.every(({ cursor }) => cursor !== next)
}

/** Whether a page may still change: one of its trials, or more of them while it is the last. */
function isOpen({ items, next }: Page): boolean {
  return next === undefined || items.some(isOpenTrial)
}
