import './cli/boot/require-home.ts'
import manifest from '../package.json' with { type: 'json' }
import { isAtTerminal } from './cli/process/at-terminal.ts'
import { keepCompiledCode } from './cli/boot/compile-cache.ts'
import { programFiles } from './cli/boot/program-files.ts'
import { paintLastScreen } from './cli/dashboard/last-screen.ts'
import { keepYoungSpaceSmall } from './cli/boot/young-space.ts'
import type * as Main from './main.tsx'

// This file is built for Node 12 and loads only Node's own modules before the check, so that an old Node prints the
// sentence below instead of a syntax error. Before the program is loaded it shows the last screen.
const required = manifest.engines.node.replace('>=', '')

function isOlder(version: string, minimum: string): boolean {
  const [have, need] = [version.split('.').map(Number), minimum.split('.').map(Number)]
  for (let i = 0; i < need.length; i += 1) {
    const difference = Number(have[i]) - Number(need[i])
    if (difference !== 0) return difference < 0
  }
  return false
}

if (isOlder(process.versions.node, required)) {
  process.stderr.write(`mcpdeck needs Node ${required} or newer; this is Node ${process.versions.node}.\n`)
  process.exitCode = 2
} else if (!('WebAssembly' in globalThis)) {
  // The layout of the screen and the HTTP client use WebAssembly.
  process.stderr.write('mcpdeck needs WebAssembly, which this Node is without; leave --jitless out of NODE_OPTIONS.\n')
  process.exitCode = 2
} else if (Date.now() < 0) {
  // Data read before 1970 counts as never read, so it would be read without end.
  process.stderr.write('mcpdeck goes by the clock, which stands before 1970 on this machine: set it.\n')
  process.exitCode = 2
} else {
  const argv = process.argv.slice(2)
  const painted = paintLastScreen(argv, process.env)
  const folder = import.meta.dirname
  const load = programFiles(folder, keepCompiledCode(folder, argv, process.env))
  const { start } = load('./main.cjs') as typeof Main
  // A server needs a large young space, and a short command does not fill it.
  if (argv[0] !== 'serve' && isAtTerminal()) keepYoungSpaceSmall()
  void start(painted)
}
