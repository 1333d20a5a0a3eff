import { programReach, reachOf, type Reach } from '../../domain/servers/reach.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import { isAtTerminal } from '../process/at-terminal.ts'
import { enterDirectory, moreOf, startReach, type ReachParts } from '../workspace/unsaved-reach.ts'
import { serverNameOf } from './server-name.ts'

/**
 * `mcpdeck try`: the dashboard on one server, in a workspace of its own that is gone at the end. The server's program
 * starts before anything is loaded that opens or draws.
 * @throws UsageError without a terminal, and for a reach that is none
 */
export async function tryServer(words: readonly string[], own: ReachParts, common: CommonOptions): Promise<undefined> {
  if (!isAtTerminal())
    throw new UsageError(
      'mcpdeck try opens the dashboard, which needs a terminal. Without one, mcpdeck tools and mcpdeck call take ' +
        '--command or --url.',
    )
  const reach = requireReach(words, own)
  enterDirectory(own)
  const name = serverNameOf(reach, process.cwd())
  const early = startReach(reach, name, 'here')
  try {
    const { openTry } = await import('./open-try.ts')
    await openTry({ reach, name, early, directory: own.cwd && process.cwd() }, common)
  } catch (error) {
    await early?.end()
    throw error
  }
}

function requireReach(words: readonly string[], own: ReachParts): Reach {
  const more = moreOf(own, process.env)
  const [word = ''] = words
  // One word is an address, a program, or a whole command in quotes.
  const reach = words.length === 1 ? reachOf(word, more) : programReach(words, more)
  if (typeof reach === 'string') throw new UsageError(reach)
  return reach
}
