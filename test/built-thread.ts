import threads from 'node:worker_threads'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const BUILT = pathToFileURL(join(import.meta.dirname, '../dist/run-thread.js'))

/** Runs once in each process, which serves several test files. */
const DONE = Symbol.for('mcpdeck.built-thread')

// Runs use the thread of the build: from source each would load 200 files.
if (!(DONE in globalThis)) {
  Object.assign(globalThis, { [DONE]: true })
  threads.Worker = class extends threads.Worker {
    constructor(file: string | URL, options?: threads.WorkerOptions) {
      super(String(file).endsWith('/src/service/runs/thread/thread.ts') ? BUILT : file, options)
    }
  }
}
