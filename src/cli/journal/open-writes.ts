import { setTimeout as delay } from 'node:timers/promises'
import type { QueryClient } from '@tanstack/react-query'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { listUnresolved, type Resolution, resolveJournal } from '../../api/client/read-back/resolve.ts'
import { refresh } from '../../api/client/cache/queries.ts'
import { every } from '../../lib/clock.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { Toasts } from '../../components/toasts.tsx'
import type { Log } from '../output/log.ts'
import type { OpenedWorkspace } from '../workspace/workspace.ts'

/** Long enough to read one sentence before the next covers it, in milliseconds. */
const READING_MS = 5_000

/** How soon a write whose answer was lost is examined, and how often while nothing can be read, in milliseconds. */
const READ_BACK_MS = 5_000
const AGAIN_MS = 30_000

type Reporting = { opened: OpenedWorkspace; toasts: Toasts; queryClient: QueryClient; log: Log }

/**
 * Finds out what became of the writes that an earlier session left open, and of those whose answer is lost in this one,
 * and reports each; never rejects.
 */
export async function reportOpenWrites(reporting: Reporting): Promise<void> {
  const { journal, workspace } = reporting.opened
  await readBackOpen(reporting, () => true)
  if (workspace.profile.readOnly) return
  let isWaiting = false
  const readBackSoon = async (pause: number): Promise<void> => {
    if (isWaiting) return
    isWaiting = true
    await delay(pause, undefined, { ref: false })
    isWaiting = false
    // What was read back waits for the person; unless that was too early, only the next start reads it again.
    const found = await readBackOpen(reporting, ({ readBack }) => readBack === undefined)
    if (found.some(({ finding }) => finding === 'unresolved')) await readBackSoon(AGAIN_MS)
  }
  journal.subscribe(() => void readBackSoon(READ_BACK_MS))
  // What the service may still act on is examined until it has, or cannot any more; that it has not yet is no news.
  const isEarly = ({ readBack }: JournalEntry): boolean => readBack?.isEarly === true
  const isNews = (found: Resolution): boolean => found.finding !== 'unresolved' && found.isEarly !== true
  every(AGAIN_MS, () => void readBackOpen(reporting, isEarly, isNews))
  await readBackSoon(READ_BACK_MS)
}

async function readBackOpen(
  { opened, toasts, queryClient, log }: Reporting,
  only: (entry: JournalEntry) => boolean,
  isNews: (found: Resolution) => boolean = () => true,
): Promise<readonly Resolution[]> {
  const { journal, workspace } = opened
  try {
    const resolutions = workspace.profile.readOnly
      ? await listUnresolved(journal)
      : (await resolveJournal({ journal, client: workspace.client, only })).filter(isNews)
    for (const { sentence } of resolutions) log.line(sentence)
    for (const resolution of resolutions) refreshAfter(queryClient, resolution)
    for (const { finding, isOpen, sentence } of resolutions) {
      const offer = isOpen && finding !== 'unresolved' ? ' Decide about it on Now or with mcpdeck journal.' : ''
      toasts.show(finding === 'happened' ? 'ok' : 'warn', `${sentence}${offer}`)
      await delay(READING_MS, undefined, { ref: false })
    }
    return resolutions
  } catch (error) {
    log.error(error)
    toasts.show('error', `The journal of earlier writes cannot be read: ${systemErrorReason(error)}.`)
    return []
  }
}

function refreshAfter(queryClient: QueryClient, { entry, endpoint, finding }: Resolution): void {
  if (endpoint && finding === 'happened') refresh(queryClient, endpoint, { inputs: [entry.input] })
}
