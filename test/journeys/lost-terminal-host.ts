import { openTerminal } from '../pty/terminal.ts'

/** Text that the screen must show, and the keys that are typed then. */
export type Step = { see: string; type: string }

// A terminal emulator that the test kills. It runs the shell script of the first argument in a terminal, in the home
// and with the variables of the second and third. It types the text of each step of the fourth once the screen shows
// the step's text, reports that, and waits.
const [script = '', home = '', env = '{}', steps = '[]'] = process.argv.slice(2)
const terminal = openTerminal({
  command: 'sh',
  args: ['-c', script],
  home,
  env: JSON.parse(env) as Record<string, string>,
})
for (const { see, type } of JSON.parse(steps) as Step[]) {
  await terminal.waitFor(see, 60_000)
  terminal.type(type)
}
console.log('ready')
setInterval(() => {}, 1000)
