import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { contract } from '../../src/api/contract/contract.ts'
import { openJournal } from '../../src/api/client/journal/journal.ts'
import type { Machine } from '../../src/lib/machine.ts'
import type { Clock } from '../../src/lib/clock.ts'
import { temporaryDirectory } from './processes.ts'

/** The real time, moved forward as a test wants. */
function createMovedClock(): Clock & { advance: (ms: number) => void } {
  let ahead = 0
  return {
    now: () => Date.now() + ahead,
    after: (ms, run) => {
      const timer = setTimeout(run, ms)
      return () => clearTimeout(timer)
    },
    advance: ms => void (ahead += ms),
  }
}

/** A machine of virtual processes that share one journal file and one clock. */
export function createScene() {
  const directory = temporaryDirectory()
  const file = join(directory.path, 'state', 'journal.sqlite')
  const clock = createMovedClock()
  const alive = new Set<number>()
  let lastPid = 100
  const machine = (pid: number): Machine => ({
    name: 'virtual',
    pid,
    now: clock.now,
    startOf: other => (alive.has(other) ? `start of ${other}` : undefined),
  })
  return {
    file,
    clock,
    remove: directory.remove,
    /** Starts a process; `kill` ends it without notice. */
    start(profile = 'one') {
      const pid = (lastPid += 1)
      alive.add(pid)
      const journal = openJournal({ file, profile, clock, machine: machine(pid) })
      return { journal, kill: () => void alive.delete(pid) }
    },
  }
}

export const SECRET = 'hush-hush-hush'

/** A launch that contains a secret, different for every number. */
export function launch(number: number) {
  return {
    endpoint: contract.runs.create,
    input: { projectId: 'p', body: { suiteId: `suite-${number}`, modelApiKeys: { openai: SECRET } } },
    idempotencyKey: `key-${number}`,
  }
}

/** Returns everything on disk in the directory of a journal. */
export function bytesOf(file: string): string {
  const directory = dirname(file)
  return readdirSync(directory)
    .map(name => readFileSync(join(directory, name), 'latin1'))
    .join('')
}
