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

/** Milliseconds to read one sentence before the next replaces it. */
const READING_MS = 5_000

/** Milliseconds until a write whose answer was lost is read back, and between attempts while reading fails. */
const READ_BACK_MS = 5_000
const AGAIN_MS = 30_000

type Reporting = { opened: OpenedWorkspace; toasts: Toasts; queryClient: QueryClient; log: Log }

/**
 * Finds out and reports what happened to the writes that an earlier session left open, and to writes of this session
 * whose answer was lost; never rejects.
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
    // Writes that were read back wait for the person; only the next start reads them again, unless the first read was
    // too early.
    const found = await readBackOpen(reporting, ({ readBack }) => readBack === undefined)
    if (found.some(({ finding }) => finding === 'unresolved')) await readBackSoon(AGAIN_MS)
  }
  journal.subscribe(() => void readBackSoon(READ_BACK_MS))
  // A write that the service may still carry out is read back until it was carried out or no longer can be. Until then
  // nothing is reported.
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
