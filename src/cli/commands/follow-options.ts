import type { Command } from 'commander'
import { duration, share, whole } from '../arguments/option-values.ts'

/** Adds what `watch` and `run` take to follow a run and to judge it. */
export function addFollowOptions(command: Command): Command {
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
