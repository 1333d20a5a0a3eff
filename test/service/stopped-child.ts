import { testInTime } from '../../src/lib/untrusted/patterns.ts'

/** For tests: stops once while a pattern is being tested, as on a machine that has no processor for this process. */
let isStopped = false
const pattern = {
  toString() {
    if (!isStopped) {
      isStopped = true
      process.kill(process.pid, 'SIGSTOP')
      // Where the limit has passed, its timer needs a moment to say so.
      for (const until = performance.now() + 20; performance.now() < until;);
    }
    return '^a+$'
  },
}
process.stdout.write(JSON.stringify(testInTime(pattern as unknown as string, 'aaa', { spentMs: 0 })))
