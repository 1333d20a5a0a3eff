import { createBudget } from '../../src/api/client/budget/budget.ts'

/**
 * A process that sends as many requests as its shared budget allows, until its parent ends it.
 * Arguments: address, budget file, capacity, requests a second.
 */
const [url = '', file = '', capacity, refillPerSecond] = process.argv.slice(2)
const budget = createBudget({
  capacity: Number(capacity),
  refillPerSecond: Number(refillPerSecond),
  sharing: {
    file,
    keyId: 'key',
    onNotice: text => {
      throw new Error(text)
    },
  },
})
const stop = new AbortController()

async function hammer(owner: string): Promise<void> {
  while (!stop.signal.aborted) {
    const permit = await budget.acquire({ priority: 'foreground', owner, signal: stop.signal })
    const response = await fetch(url)
    await response.arrayBuffer()
    if (response.status === 429) permit.limited(undefined)
    permit.release()
  }
}

process.once('disconnect', () => stop.abort())
await Promise.allSettled(Array.from({ length: 6 }, (_, index) => hammer(String(index))))
budget.close()
