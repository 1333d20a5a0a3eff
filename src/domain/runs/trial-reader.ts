import type { CallOptions, Client } from '../../api/client/client.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { nextCursorOf } from '../../api/contract/shapes.ts'
import { pagesToRefresh } from '../../lib/pages-to-refresh.ts'
import { isOpenTrial } from './trials.ts'

const TRIALS_A_PAGE = 200

/** Reads all trials of a run repeatedly. */
export type TrialReader = {
  /** @throws ApiError `repeated-cursor` if the service repeats a cursor */
  read: () => Promise<EvalIteration[]>
  /** The trials on all pages that were read, also if the last read failed. */
  readonly known: EvalIteration[]
  /** Number of requests of the last read. */
  readonly requests: number
  /** Whether all pages have been read, or the service repeated a cursor. */
  readonly isWhole: boolean
}

export type TrialReaderOptions = {
  /** Reduces each trial to what is needed, so that a run of any length can be followed. */
  keep?: (trial: EvalIteration) => EvalIteration
  /**
   * Maximum number of pages in one read. Unread pages come first, and pages that are not read again are returned
   * unchanged.
   */
  maxPagesPerPoll?: number
}

type Page = { cursor: string | undefined; items: EvalIteration[]; next: string | undefined; readAt: number }

/** Creates a reader. Full pages of ended trials are read only once, so that a long run costs little at its end. */
export function createTrialReader(
  client: Client,
  run: { projectId: string; runId: string },
  options: CallOptions,
  { keep = trial => trial, maxPagesPerPoll = Infinity }: TrialReaderOptions = {},
): TrialReader {
  let requests = 1
  let readings = 0
  let pages: readonly Page[] = []
  let known = pages
  const pageAt = async (cursor: string | undefined): Promise<Page> => {
    const input = { ...run, limit: TRIALS_A_PAGE, ...(cursor !== undefined && { cursor }) }
    const answer = await client.iterations.list(input, options)
    readings += 1
    return { cursor, items: answer.items.map(keep), next: nextCursorOf(answer), readAt: readings }
  }
  return {
    get known() {
      return known.flatMap(({ items }) => items)
    },
    get requests() {
      return requests
    },
    get isWhole() {
      return pages.length > 0 && pages.at(-1)?.next === undefined
    },
    async read() {
      const found = pages.length === 0 ? [await pageAt(undefined)] : []
      const all = () => [...pages, ...found]
      try {
        for (let next = nextOf(all()); found.length < maxPagesPerPoll && next !== undefined; next = nextOf(all()))
          found.push(await pageAt(next))
      } catch (error) {
        known = all()
        // The next read continues after these pages. After a repeated cursor it starts again.
        if (!(error instanceof ApiError && error.code === 'repeated-cursor')) pages = known
        throw error
      }
      const round = pagesToRefresh(pages, { isOpen, readAt: page => page.readAt, most: maxPagesPerPoll - found.length })
      const read: Page[] = []
      for (const page of pages) read.push(round.has(page) ? await pageAt(page.cursor) : page)
      // Another page may have been added after the last one.
      pages = [...read, ...found]
      known = pages
      requests = Math.max(1, round.size + found.length)
      return pages.flatMap(({ items }) => items)
    },
  }
}

/** Returns the cursor of the next page. @throws ApiError if it was used before, since the list would never end */
function nextOf(pages: readonly Page[]): string | undefined {
  const next = pages.at(-1)?.next
  if (next !== undefined && pages.some(({ cursor }) => cursor === next)) throw repeatedCursor()
  return next
}

function repeatedCursor(): ApiError {
  return new ApiError({
    kind: 'invalid-response',
    code: 'repeated-cursor',
    message: 'The list answered a cursor for the second time.',
    endpoint: contract.iterations.list,
    sent: true,
  })
}

/** Whether a page may still change: through one of its trials, or through new ones if it is the last. */
function isOpen({ items, next }: Page): boolean {
  return next === undefined || items.some(isOpenTrial)
}
