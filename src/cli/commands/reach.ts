import { collect, duration } from '../arguments/option-values.ts'
import type { ReachParts } from '../workspace/unsaved-server.ts'
import { command, type DeclaredFlag } from './declare.ts'

/** What goes with the command or the address of a server that is saved nowhere. */
const PARTS: readonly DeclaredFlag[] = [
  ['--env <NAME=value>', 'a variable of its environment; repeatable', collect, []],
  ['--header <header>', "a header of every request, such as 'Name: value'; repeatable", collect, []],
  ['--token-env <variable>', 'variable that holds a token for its address'],
  ['--timeout <time>', 'longest wait for the server, such as 90s', duration],
]

/** Reaches a server without saving anything. */
export const REACH: readonly DeclaredFlag[] = [
  ['--command <command>', 'run this program as the server instead of a saved one; nothing is saved'],
  ['--url <url>', 'connect to this address instead of a saved server; nothing is saved'],
  ...PARTS,
]

/** `mcpdeck try`. */
export const tryServer = command<ReachParts>({
  name: 'try',
  says: 'Open the dashboard on a server alone, by its command or its address; nothing is saved.',
  words: [['<server...>', 'its address, or -- and the command that runs it with its arguments']],
  flags: PARTS,
  after: () =>
    '\nSuch as:\n  mcpdeck try -- npx -y @modelcontextprotocol/server-everything\n' +
    '  mcpdeck try --token-env TOKEN https://mcp.example/mcp\n',
  run: async ({ words, own, common }) => (await import('../try/try-command.ts')).tryServer(words, own, common),
})
