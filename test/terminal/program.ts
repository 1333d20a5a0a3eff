import { createInput } from '../../src/tui/terminal/input.ts'
import { installRestore } from '../../src/tui/terminal/restore.ts'
import { createScreen } from '../../src/tui/terminal/screen.ts'

/**
 * For tests: a small program in a real terminal. q quits, x throws, r rejects, ctrl+z suspends; argv[2] delays the end.
 */
const screen = createScreen(process.stdout, { askKeyboard: true })
const input = createInput(process.stdin)
const restore = installRestore({
  screen,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  onExit: async reason => {
    if (process.argv[2] === 'never-settles') await new Promise(() => setInterval(() => undefined, 1000))
    process.stdout.write(`settled after ${reason}\r\n`)
  },
  log: () => undefined,
})
const typed: string[] = []
const paint = (): void => {
  screen.stdout.write(`ready\ntyped: ${typed.join(' ')}`)
}
input.onEvents(events => {
  for (const event of events) {
    if (event.type === 'reply') screen.reply(event.sequence)
    if (event.type !== 'key') continue
    typed.push(event.key.name)
    if (event.key.name === 'q') restore.exit()
    if (event.key.name === 'x') throw new Error('the \x1b[31mreason\nand a second line')
    if (event.key.name === 'r') void Promise.reject(new Error('not caught'))
    if (event.key.name === 'ctrl+z') restore.suspend()
  }
  paint()
})
screen.enter()
input.start()
paint()
