import { type EndingSignal, onEndingSignal, signalExitCode } from '../../tui/terminal/ending-signals.ts'

/** The input and output of a terminal; `process.stdin` and `process.stderr` fit. */
export type PromptEnds = { input: NodeJS.ReadStream; output: NodeJS.WriteStream }

const ENDS_INPUT = new Set(['\r', '\n', '\x04'])
const ERASE = new Set(['\x7f', '\b'])
const ERASE_ALL = '\x15'
const INTERRUPT = '\x03'
/** Marks of bracketed paste and other sequences are not part of a key. */
const SEQUENCES = /\x1b(?:\[[\d;?]*[A-Za-z~]|.)?/g

/**
 * Asks for a secret on the terminal without showing it; undefined without a terminal. Ctrl+C exits, Backspace and
 * Ctrl+U erase.
 */
export async function askSecret(
  question: string,
  { input, output }: PromptEnds = { input: process.stdin, output: process.stderr },
): Promise<string | undefined> {
  if (!input.isTTY || !output.isTTY) return undefined
  const { promise, resolve } = Promise.withResolvers<string>()
  let secret = ''
  const take = (chunk: Buffer | string): void => {
    for (const character of chunk.toString().replaceAll(SEQUENCES, '')) {
      if (character === INTERRUPT) {
        leave('SIGINT')
      }
      if (ENDS_INPUT.has(character)) {
        finish()
        resolve(secret)
        return
      }
      if (ERASE.has(character)) secret = secret.slice(0, -1)
      else if (character === ERASE_ALL) secret = ''
      else if (character >= ' ') secret += character
    }
  }
  const leave = (signal: EndingSignal): never => {
    finish()
    process.exit(signalExitCode(signal))
  }
  const finish = (): void => {
    stopListening()
    input.off('data', take)
    input.setRawMode(false)
    input.pause()
    output.write('\n')
  }
  const stopListening = onEndingSignal(leave)
  // The question is printed last, so that a quick answer is not echoed by the terminal.
  input.setRawMode(true)
  input.on('data', take)
  input.resume()
  output.write(question)
  return await promise
}
