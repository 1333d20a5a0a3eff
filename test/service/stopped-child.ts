import { Worker } from 'node:worker_threads'
import { testInTime } from '../../src/lib/untrusted/patterns.ts'

/**
 * For tests: stops once while a pattern is being tested, as on a machine without processor time for this process, and
 * lets its other thread use the processor first.
 */
const other = new Worker('for (;;);', { eval: true })
await new Promise(resolve => other.once('online', resolve))
const shared = new Int32Array(new SharedArrayBuffer(4))
let isStopped = false
const pattern = {
  toString() {
    if (!isStopped) {
      isStopped = true
      Atomics.wait(shared, 0, 0, 150)
      process.kill(process.pid, 'SIGSTOP')
      // If the limit has passed, its timer needs a moment to report it.
      for (const until = performance.now() + 20; performance.now() < until;);
    }
    return '^a+$'
  },
}
process.stdout.write(JSON.stringify(testInTime(pattern as unknown as string, 'aaa', { spentMs: 0 })))
await other.terminate()
