/** Work that nobody waits for while it runs, such as ending a server, but that must be over before we are. */
export type PendingWork = {
  add(work: Promise<unknown>): void
  /** Resolves when nothing is left, including what was added meanwhile; never rejects. */
  settled(): Promise<void>
}

export function createPendingWork(): PendingWork {
  const running = new Set<Promise<unknown>>()
  return {
    add(work) {
      const quiet: Promise<unknown> = work.catch(() => {}).finally(() => running.delete(quiet))
      running.add(quiet)
    },
    async settled() {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
