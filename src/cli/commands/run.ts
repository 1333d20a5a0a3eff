import type { Command } from 'commander'
import type { RunOptions } from '../launch/run-command.ts'
import { collect, RETRY, SEND_NEW, whole, duration, share } from '../arguments/option-values.ts'
import type { CommonOptions } from '../config/settings.ts'
import type { SessionOptions } from '../follow/session.ts'

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

/** `mcpdeck watch`. */
export function addWatch(program: Command, done: (code: number) => void): void {
  const watch = program
    .command('watch')
    .description('Follow a run to its end; its verdict is the exit code.')
    .argument('<run>', 'id, locator or address of a run')
  addFollowOptions(watch).action(async (run: string, own: SessionOptions) => {
    const { runWatch } = await import('../follow/session.ts')
    done(await runWatch(run, program.opts<CommonOptions>(), own))
  })
}

/** Adds what `watch` and `run` take to follow a run and to judge it. */
function addFollowOptions(command: Command): Command {
  return command
    .option('--timeout <time>', 'give up after this, such as 30m; the run goes on', duration)
    .option('--min-pass-rate <share>', 'gate: at least this share of what was graded passed', share)
    .option('--min-graded <share>', 'gate: at least this share was graded; 100% where there is any gate', share)
    .option(
      '--no-new-failures-against <run>',
      'gate: no case fails that passed in this run; last is the latest earlier one with a verdict, baseline the service’s choice',
    )
    .option('--max-duration <time>', 'gate: the run took no longer', duration)
    .option('--max-tokens <count>', 'gate: its models used no more tokens', whole(1, Number.MAX_SAFE_INTEGER))
    .option('--gates-only', 'the gates decide, and not the run’s own verdict')
    .option('--junit <file>', 'write the trials as JUnit XML')
    .option('--json', 'print one object at the end')
    .option('--jsonl', 'print one event a line')
}
