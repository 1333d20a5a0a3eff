import { progressText } from '../../domain/calls/progress.ts'
import { rewrittenLine } from '../follow/status-line.ts'
import type { CommandWrite } from '../journal/send-write.ts'
import { say } from '../output/prose.ts'
import { interruptedCode, listenForInterrupt } from '../process/interrupt.ts'
import { Ended } from '../workspace/in-workspace.ts'

/**
 * Sends a request that Ctrl+C cancels at the server, and shows the server's progress on standard error if it is a
 * terminal.
 * @throws Ended if it was cancelled
 */
export async function cancellable<T>(
  send: (options: NonNullable<CommandWrite<never>['options']>) => Promise<T>,
): Promise<T> {
  const line = process.stderr.isTTY ? rewrittenLine(process.stderr) : undefined
  let interruption: ReturnType<typeof listenForInterrupt> | undefined
  try {
    return await send(() => {
      interruption = listenForInterrupt()
      const { signal } = interruption
      return { signal, onProgress: progress => line?.show(progressText(progress)) }
    })
  } catch (error) {
    if (!interruption?.signal.aborted) throw error
    line?.clear()
    say('Cancelled. What the server did until then, and whether it stopped, is not known.')
    throw new Ended(interruptedCode(interruption.signal))
  } finally {
    line?.clear()
    interruption?.stop()
  }
}
