import { contract } from '../../api/contract/contract.ts'
import { action } from '../writes/action.ts'

/** Cancels a run in flight. `name` is what the person calls it. Has no effect if the run had already ended. */
export const cancelRun = action(contract.runs.cancel, {
  question: ({ name }: { name: string }) => ({
    title: `Cancel ${name}?`,
    lines: [
      'Running trials stop, waiting ones never start. Its run slot becomes free.',
      'Results so far stay readable.',
    ],
    action: 'Stop the run',
    decline: 'Keep it running',
    effect: `This stops ${name}`,
  }),
  progress: ({ name }) => `Stopping ${name}…`,
  done: (stopped: { status: string } | undefined, { name }) =>
    stopped
      ? `${name} is ${stopped.status}.`
      : { tone: 'warn', text: `Nothing was stopped: ${name} had already ended.` },
})
