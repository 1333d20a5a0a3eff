import { openTerminal } from '../pty/terminal.ts'

// A terminal emulator that the test kills: runs the shell script of the first argument in a terminal, in the home and with the
// variables of the second and third, says so once its screen shows the text of the fourth, then waits.
const [script = '', home = '', env = '{}', text = ''] = process.argv.slice(2)
const terminal = openTerminal({
  command: 'sh',
  args: ['-c', script],
  home,
  env: JSON.parse(env) as Record<string, string>,
})
await terminal.waitFor(text, 60_000)
console.log('ready')
setInterval(() => {}, 1000)
