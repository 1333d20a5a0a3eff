import { createInterface } from 'node:readline/promises'
import { laidOut } from './prose.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Whether a person can answer. */
export function canPrompt(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY
}

/**
 * Asks for confirmation if a person can answer; only the whole word confirms. Ctrl+C interrupts the program, Ctrl+D
 * declines.
 * @param effect the effect, as the sentence says it: `createEvalRun spends credits`
 * @param word the word to type
 * @throws UsageError if nobody can be asked, so that a script must use --yes
 */
export async function confirmPrompt(effect: string, word = 'yes'): Promise<boolean> {
  if (!canPrompt()) throw new UsageError(`${effect}; add --yes to skip this question.`)
  return (await readAnswer(`${effect}. Type ${word} to go on: `)) === word
}

/** Reads the person's answer to a question at the terminal; empty after Ctrl+D. */
export async function readAnswer(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const { promise, resolve } = Promise.withResolvers<string>()
  let interrupted = false
  // After Ctrl+C the question stays unanswered: the receiver of the signal ends the command.
  lines.once('close', () => {
    if (!interrupted) resolve('')
  })
  // While a line is read, the terminal sends no signal for Ctrl+C.
  lines.once('SIGINT', () => {
    interrupted = true
    lines.close()
    // A signal that the process sends to itself would arrive only when it has nothing left to do.
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
