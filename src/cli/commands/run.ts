import type { Command } from 'commander'
import type { RunOptions } from '../launch/run-command.ts'
import { collect, RETRY, SEND_NEW, whole } from '../arguments/option-values.ts'
import type { CommonOptions } from '../config/settings.ts'
import { addFollowOptions } from './follow-options.ts'

/** `mcpdeck run`. */
export function addRun(program: Command, done: (code: number) => void): void {
  const run = program
    .command('run')
    .description('Launch a suite, or the failed cases of a run again, after showing what it will do.')
    .argument('[suite]', 'id or name of a suite')
    .option('--rerun-failed <run>', 'launch the failed cases of this run again')
    .option('--environment <id>', 'environment to run in, by id or name; several are a run group', collect, [])
    .option('--client <id>', 'attached client to run as, by id or name; several are a run group', collect, [])
    .option('--server <id>', 'server to run against instead of the saved ones', collect, [])
    .option('--case <id>', 'only this case, by id or title', collect, [])
    .option('--iterations <count>', 'trials of each case', whole(1, 10))
    .option('--model <model>', 'model of every case')
    .option('--model-key-env <provider=variable>', 'own key of a provider, in this variable', collect, [])
    .option('--model-key-file <provider=file>', 'own key of a provider, in this file', collect, [])
    .option('--notes <text>', 'notes to keep with the run')
    .option('--idempotency-key <key>', 'key of this intent: the same one never launches twice')
    .option('--yes', 'do not ask')
    .option('--retry <id>', RETRY)
    .option('--new', SEND_NEW)
    .option('--watch', 'follow it to its end; its verdict is the exit code')
    .option('--wait', 'wait for a free run slot')
  addFollowOptions(run).action(async (suite: string | undefined, own: RunOptions) => {
    const { runLaunch } = await import('../launch/run-command.ts')
    done(await runLaunch(suite, program.opts<CommonOptions>(), own))
  })
}
