import { setTimeout as delay } from 'node:timers/promises'
import type { QueryClient } from '@tanstack/react-query'
import { listUnresolved, type Resolution, resolveJournal } from '../api/journal/resolve.ts'
import { refresh } from '../api/queries.ts'
import type { Toasts } from '../components/toasts.tsx'
import type { Log } from './log.ts'
import type { OpenedWorkspace } from './workspace.ts'

/** Long enough to read one sentence before the next covers it, in milliseconds. */
const READING_MS = 5_000

/** Finds out what became of the writes that an earlier session left open, and tells each; never rejects. */
export async function tellEarlierWrites(options: {
  opened: OpenedWorkspace
  toasts: Toasts
  queryClient: QueryClient
  log: Log
}): Promise<void> {
  const { toasts, queryClient, log } = options
  const { journal, workspace } = options.opened
  try {
    const resolutions = workspace.profile.readOnly
      ? await listUnresolved(journal)
      : await resolveJournal({ journal, client: workspace.client })
    for (const { sentence } of resolutions) log.line(sentence)
    for (const resolution of resolutions) refreshAfter(queryClient, resolution)
    for (const { finding, isOpen, sentence } of resolutions) {
      const offer =
        isOpen && finding !== 'unresolved' ? ' Decide about it on Now or with mcpdeck journal.' : ''
      toasts.show(finding === 'happened' ? 'ok' : 'warn', `${sentence}${offer}`)
      await delay(READING_MS, undefined, { ref: false })
    }
  } catch (error) {
    log.error(error)
    const words = error instanceof Error ? error.message : String(error)
    toasts.show('error', `The journal of earlier writes cannot be read: ${words}.`)
  }
}

function refreshAfter(queryClient: QueryClient, { endpoint, finding }: Resolution): void {
  if (endpoint && finding === 'happened') refresh(queryClient, endpoint)
}
