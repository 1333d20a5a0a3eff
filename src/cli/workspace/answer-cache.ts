import type { QueryClient } from '@tanstack/react-query'
import manifest from '../../../package.json' with { type: 'json' }
import { answersToStore, restoreAnswers } from '../../api/client/cache/cache-contents.ts'
import { readCacheFile, writeCacheFile } from '../../api/client/cache/cache-file.ts'
import { gatheredPause } from '../../lib/clock.ts'
import type { Log } from '../output/log.ts'

/** How often at most answers are written while the program runs, in milliseconds. */
const WRITE_EVERY_MS = 60_000
/** The same while nobody presses a key: what was read last is on the next start's screen for a moment only. */
const UNATTENDED_MS = 300_000

/**
 * Shows what the last session read until it is read again, and keeps what this one reads: now and then, so that a crash
 * loses little, and whenever the returned function is called. Without a usable file it does nothing but say so in the
 * log.
 */
export function openAnswerCache(options: { file: string; queryClient: QueryClient; log: Log }): () => void {
  const { file, queryClient, log } = options
  restoreAnswers(queryClient, readCacheFile(file, manifest.version))
  let timer: NodeJS.Timeout | undefined
  const write = (): void => {
    clearTimeout(timer)
    timer = undefined
    try {
      writeCacheFile(file, manifest.version, answersToStore(queryClient, Date.now()))
    } catch (error) {
      log.error(error)
    }
  }
  const seen = new WeakSet<object>()
  queryClient.getQueryCache().subscribe(event => {
    if (event.type !== 'updated' || event.action.type !== 'success') return
    const data: unknown = event.query.state.data
    // An answer like the one before is that one's object.
    if (typeof data !== 'object' || data === null || seen.has(data)) return
    seen.add(data)
    timer ??= setTimeout(write, gatheredPause(WRITE_EVERY_MS, UNATTENDED_MS)).unref()
  })
  return write
}
