import type { QueryClient } from '@tanstack/react-query'
import manifest from '../../../package.json' with { type: 'json' }
import { answersToStore, restoreAnswers } from '../../api/client/cache/cache-contents.ts'
import { readCacheFile, writeCacheFile } from '../../api/client/cache/cache-file.ts'
import { gatheredPause } from '../../lib/clock.ts'
import type { Log } from '../output/log.ts'

/** Minimum time between writes of the answers while the program runs, in milliseconds. */
const WRITE_EVERY_MS = 60_000
/** Minimum time between writes while nobody presses a key: the next start shows the last data only for a moment. */
const UNATTENDED_MS = 300_000

/**
 * Shows the data of the last session until it is read again, and saves the data of this one: at intervals, so that a
 * crash loses little, and when the returned function is called. If the file is unusable, it only logs that.
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
    // An answer equal to the previous one is the same object.
    if (typeof data !== 'object' || data === null || seen.has(data)) return
    seen.add(data)
    timer ??= setTimeout(write, gatheredPause(WRITE_EVERY_MS, UNATTENDED_MS)).unref()
  })
  return write
}
