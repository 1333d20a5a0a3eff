import { unstable_NormalPriority as NORMAL, unstable_scheduleCallback as schedule } from 'scheduler'

/**
 * Resolves once React has rendered everything that was set before, including what effects of those renders set. React
 * spreads its work over several turns of the event loop if a turn takes longer than 5 ms, so the number of turns says
 * nothing; but a task of its own scheduler runs after all that were scheduled before it.
 */
export async function reactSettled(): Promise<void> {
  for (let pass = 0; pass < 2; pass += 1) {
    // State set in this turn is scheduled when its microtasks run.
    await new Promise<void>(resolve => setImmediate(resolve))
    await new Promise<void>(resolve => void schedule(NORMAL, () => resolve()))
  }
}
