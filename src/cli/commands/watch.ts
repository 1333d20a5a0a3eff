import type { Command } from 'commander'
import type { SessionOptions } from '../follow/session.ts'
import type { CommonOptions } from '../config/settings.ts'
import { addFollowOptions } from './follow-options.ts'

/** `mcpdeck watch`. */
export function addWatch(program: Command, done: (code: number) => void): void {
  const watch = program
    .command('watch')
    .description('Follow a run to its end; its verdict is the exit code.')
    .argument('<run>', 'id, locator or address of a run')
  addFollowOptions(watch).action(async (run: string, own: SessionOptions) => {
    const { runWatch } = await import('../follow/watch-command.ts')
    done(await runWatch(run, program.opts<CommonOptions>(), own))
  })
}
