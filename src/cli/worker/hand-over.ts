import type { Fetch } from '../../api/client/transport/fetch.ts'
import { say } from '../output/prose.ts'
import type { Settings } from '../config/settings.ts'
import { reachWorker, type Reached } from './reach.ts'

/** Has requests answered by the workspace's worker; where there can be none, by this process, which says so. */
export function handOver(settings: Settings, here: Fetch): { fetch: Fetch; close: () => Promise<void> } {
  let reaching: Promise<Reached> | undefined
  const reach = async (): Promise<Reached> => {
    const reached = await reachWorker(settings)
    if (reached.kind === 'worker')
      say(`Handed over to the workspace's worker (process ${reached.pid}); mcpdeck serve status shows it.`)
    else say(`This command executes what it starts and waits for its end: ${reached.why}.`)
    return reached
  }
  return {
    async fetch(request) {
      const reached = await (reaching ??= reach())
      return await (reached.kind === 'worker' ? reached.http.fetch(request) : here(request))
    },
    async close() {
      const reached = await reaching
      if (reached?.kind === 'worker') await reached.http.close()
    },
  }
}
