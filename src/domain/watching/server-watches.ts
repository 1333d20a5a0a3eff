import { createListeners } from '../../lib/listeners.ts'
import { watchFiles, WatchError } from '../../lib/files/watch-files.ts'
import { patternsIn } from './watch-patterns.ts'

type ServerWatch = {
  serverId: string
  pattern: string
  /** Is waited for before the next change is heard; must not throw. */
  restart: () => Promise<void>
  /** Receives why it is watched no longer, as a sentence. */
  failed: (why: string) => void
}

/** The servers of this process that are restarted when files change. */
export type ServerWatches = {
  /** What is watched for a server; undefined where nothing is. */
  patternOf(serverId: string): string | undefined
  /** Resolves once changes are heard; where they cannot be, `failed` is called. */
  start(watch: ServerWatch): Promise<void>
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
      const giveUp = (error: unknown): void => {
        if (watches.get(serverId) !== own) return
        stop(serverId)
        watch.failed(error instanceof WatchError ? error.message : `Files cannot be watched: ${String(error)}.`)
      }
      try {
        const changes = await watchFiles(patternsIn(pattern))
        void restartOnChange(watch, changes, own.stop.signal).catch(giveUp)
      } catch (error) {
        giveUp(error)
      }
    },
    stop,
    subscribe,
    close() {
      for (const serverId of watches.keys()) stop(serverId)
    },
  }
}

async function restartOnChange(
  { restart }: ServerWatch,
  changes: Awaited<ReturnType<typeof watchFiles>>,
  signal: AbortSignal,
): Promise<void> {
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
