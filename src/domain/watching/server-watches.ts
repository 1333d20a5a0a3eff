import { createListeners } from '../../lib/listeners.ts'
import { watchFiles, WatchError, type FileChanges } from '../../lib/files/watch-files.ts'
import { patternsIn } from './watch-patterns.ts'

type ServerWatch = {
  serverId: string
  pattern: string
  /** Restarts the server. It is awaited before the next change is handled, and must not throw. */
  restart: () => Promise<void>
  /** Called with the reason, as a sentence, if watching has ended. */
  failed: (why: string) => void
}

/** The servers of this process that are restarted when files change. */
export type ServerWatches = {
  /** Returns the pattern that is watched for a server; undefined if nothing is watched. */
  patternOf(serverId: string): string | undefined
  /** Resolves once changes are being watched, to whether that succeeded. */
  start(watch: ServerWatch): Promise<boolean>
  stop(serverId: string): void
  subscribe(listener: () => void): () => void
  close(): void
}

export function createServerWatches(): ServerWatches {
  const watches = new Map<string, { pattern: string; stop: AbortController }>()
  const { subscribe, notify } = createListeners()
  const stop = (serverId: string): void => {
    watches.get(serverId)?.stop.abort()
    watches.delete(serverId)
    notify()
  }
  return {
    patternOf: serverId => watches.get(serverId)?.pattern,
    async start(watch) {
      const { serverId, pattern } = watch
      stop(serverId)
      const own = { pattern, stop: new AbortController() }
      watches.set(serverId, own)
      notify()
      const fail = (error: unknown): void => {
        if (watches.get(serverId) !== own) return
        stop(serverId)
        watch.failed(error instanceof WatchError ? error.message : `Files cannot be watched: ${String(error)}.`)
      }
      try {
        const changes = await watchFiles(patternsIn(pattern))
        restartOnChange(changes, watch, own.stop.signal).catch(fail)
        return true
      } catch (error) {
        fail(error)
        return false
      }
    },
    stop,
    subscribe,
    close() {
      for (const serverId of watches.keys()) stop(serverId)
    },
  }
}

async function restartOnChange(changes: FileChanges, { restart }: ServerWatch, signal: AbortSignal): Promise<void> {
  const stopped = new Promise<undefined>(resolve => {
    const end = (): void => resolve(undefined)
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
  try {
    while (await Promise.race([changes.next(), stopped])) await restart()
  } finally {
    await changes.close()
  }
}
