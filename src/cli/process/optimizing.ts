import { setFlagsFromString } from 'node:v8'

/** V8's compilers of what runs often. */
const COMPILERS = ['opt', 'maglev']

/**
 * Whether V8 optimizes what runs often, in all threads. While nobody presses a key it would go on for hours, compiling
 * for polls that take a millisecond each; what it has compiled stays.
 */
export function setOptimizing(optimizes: boolean): void {
  // Elsewhere V8 has not all of them.
  if (process.arch !== 'x64' && process.arch !== 'arm64') return
  for (const compiler of COMPILERS) setFlagsFromString(optimizes ? `--${compiler}` : `--no-${compiler}`)
}
