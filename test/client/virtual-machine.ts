import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Budget, type BudgetOptions, createBudget } from '../../src/api/client/budget/budget.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** A machine whose processes are budgets that share one real file. */
export function virtualMachine(clock: VirtualClock) {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-budget-'))
  const file = join(directory, 'state', 'budget.sqlite')
  const living = new Set<number>()
  const budgets: Budget[] = []
  let lastPid = 100
  return {
    file,
    /** Starts a process. `kill` removes its id and leaves everything it held. */
    start(options: BudgetOptions = {}, keyId = 'key') {
      const pid = (lastPid += 1)
      living.add(pid)
      const startOf = (asked: number) => (living.has(asked) ? `start of ${asked}` : undefined)
      const machine = { name: 'machine', pid, now: clock.now, startOf }
      const notices: string[] = []
      const sharing = { file, keyId, machine, onNotice: (text: string) => notices.push(text) }
      const budget = createBudget({ clock, random: () => 0, ...options, sharing })
      budgets.push(budget)
      return { budget, notices, kill: () => living.delete(pid) }
    },
    remove() {
      for (const budget of budgets) budget.close()
      chmodSync(directory, 0o700)
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
