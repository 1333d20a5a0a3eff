import { createInterface } from 'node:readline/promises'
import { laidOut } from './prose.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Whether a person is there to answer. */
export function canPrompt(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/**
 * Asks where a person can answer; only the whole word agrees. Ctrl+C interrupts the program, Ctrl+D declines.
 * @param effect what is about to happen, as the sentence says it: `createEvalRun spends credits`
 * @param word what has to be typed
 * @throws UsageError if nobody can be asked, so that a script says it with --yes
 */
export async function confirmPrompt(effect: string, word = 'yes'): Promise<boolean> {
  if (!canPrompt()) throw new UsageError(`${effect}; add --yes to skip this question.`)
  return (await readAnswer(`${effect}. Type ${word} to go on: `)) === word
}

/** What a person at the terminal types after a question; empty after Ctrl+D. */
export async function readAnswer(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const { promise, resolve } = Promise.withResolvers<string>()
  let interrupted = false
  // A closed line never answers its question; the listener of the signal ends what asked.
  lines.once('close', () => {
    if (!interrupted) resolve('')
  })
  // While it reads a line, the terminal sends no signal for Ctrl+C.
  lines.once('SIGINT', () => {
    interrupted = true
    lines.close()
    // A signal of one's own arrives only after the program has nothing left to do.
    if (process.listenerCount('SIGINT') > 0) process.emit('SIGINT')
    else process.kill(process.pid, 'SIGINT')
  })
  const answered = lines.question(laidOut(question, process.stderr))
  void answered.then(answer => resolve(answer.trim())).catch(() => undefined)
  try {
    return await promise
  } finally {
    lines.close()
  }
}
