import threads from 'node:worker_threads'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const BUILT = pathToFileURL(join(import.meta.dirname, '../dist/run-thread.js'))

/** Files that share a process run this each. */
const DONE = Symbol.for('mcpdeck.built-thread')

// Runs are executed by the thread that the build makes: from the source each would load 200 files anew.
if (!(DONE in globalThis)) {
  Object.assign(globalThis, { [DONE]: true })
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: threads.WorkerOptions) {
      super(String(file).endsWith('/src/service/runs/thread/thread.ts') ? BUILT : file, options)
    }
  }
}
