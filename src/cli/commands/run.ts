import type { RunOptions } from '../launch/run-command.ts'
import { collect, whole, duration, share } from '../arguments/option-values.ts'
import type { SessionOptions } from '../follow/session.ts'
import { command, type CommandDeclaration, type DeclaredFlag } from './declare.ts'
import { REPEATS } from './repeat-flags.ts'

/** How long what was launched is waited for. */
export const GIVE_UP: DeclaredFlag = ['--timeout <time>', 'give up after this, such as 30m; the run goes on', duration]

/** What `watch` and `run` take to follow a run and to judge it. */
const FOLLOW: readonly DeclaredFlag[] = [
  GIVE_UP,
  ['--min-pass-rate <share>', 'gate: at least this share of what was graded passed', share],
  ['--min-graded <share>', 'gate: at least this share was graded; 100% where there is any gate', share],
  [
    '--no-new-failures-against <run>',
    'gate: no case fails that passed in this run; last-passed is the latest earlier one that passed, last also ' +
      'a failed one where none did, baseline the service’s choice',
  ],
  ['--max-duration <time>', 'gate: the run took no longer', duration],
  ['--max-tokens <count>', 'gate: its models used no more tokens', whole(1, Number.MAX_SAFE_INTEGER)],
  ['--max-broken <count>', 'gate: no more of its trials broke off or timed out', whole(0, Number.MAX_SAFE_INTEGER)],
  ['--gates-only', 'the gates decide, not the run’s own verdict'],
  ['--junit <file>', 'write the trials as JUnit XML'],
  ['--summary <file>', 'append the result to this file as Markdown, such as to $GITHUB_STEP_SUMMARY'],
  ['--json', 'print one object at the end'],
  ['--jsonl', 'print one event a line'],
]

/** `mcpdeck watch` and `mcpdeck run`. */
export const runs: readonly CommandDeclaration[] = [
  command<SessionOptions>({
    name: 'watch',
    says: 'Follow a run to its end; its verdict is the exit code.',
    words: [['<run>', 'id, locator or address of a run']],
    flags: FOLLOW,
    run: async ({ words: [run = ''], own, common }) =>
      (await import('../follow/session.ts')).runWatch(run, common, own),
  }),
  command<RunOptions>({
    name: 'run',
    says: 'Launch a suite, or the failed cases of a run again, after showing what it will do.',
    words: [['[suite]', 'id or name of a suite']],
    flags: [
      ['--rerun-failed <run>', 'launch the failed cases of this run again'],
      ['--environment <id>', 'environment to run in, by id or name; several are a run group', collect, []],
      ['--client <id>', 'attached client to run as, by id or name; several are a run group', collect, []],
      ['--server <id>', 'server to run against instead of the saved ones', collect, []],
      ['--case <id>', 'only this case, by id or title', collect, []],
      ['--iterations <count>', 'trials of each case', whole(1, 10)],
      ['--model <model>', 'model of every case'],
      ['--model-key-env <provider=variable>', 'own key of a provider, in this variable', collect, []],
      ['--model-key-file <provider=file>', 'own key of a provider, in this file', collect, []],
      ['--notes <text>', 'notes to keep with the run'],
      ['--idempotency-key <key>', 'key of this intent: the same one never launches twice'],
      ['--yes', 'do not ask'],
      ...REPEATS,
      ['--watch', 'follow it to its end; its verdict is the exit code'],
      ['--wait', 'wait for a free run slot'],
      [
        '--watch-files <pattern>',
        'run again whenever a file changes that matches this, such as src/**; repeatable',
        collect,
        [],
      ],
      ['--max-runs <count>', 'with --watch-files: launch at most so many runs', whole(1, 10_000)],
      ...FOLLOW,
    ],
    run: async ({ words: [suite], own, common }) =>
      (await import('../launch/run-command.ts')).runLaunch(suite, common, own),
  }),
]
