import type { RunOptions } from '../launch/run-command.ts'
import { collect, whole, duration, shard, share } from '../arguments/option-values.ts'
import type { SessionOptions } from '../follow/session.ts'
import { command, type CommandDeclaration, type DeclaredFlag } from './declare.ts'
import { REPEATS } from './repeat-flags.ts'

/** How long to wait for what was launched. */
export const GIVE_UP: DeclaredFlag = [
  '--timeout <time>',
  'stop waiting after this time, such as 30m; the run continues',
  duration,
]

/** Flags of `watch`, `run` and `report` for following a run and judging it. */
const FOLLOW: readonly DeclaredFlag[] = [
  GIVE_UP,
  ['--min-pass-rate <share>', 'gate: at least this share of the graded results passed', share],
  ['--min-graded <share>', 'gate: at least this share was graded; 100% if there is any gate', share],
  [
    '--no-new-failures-against <run>',
    'gate: no case fails that passed in this run, or in last-passed (the latest earlier run that passed), last ' +
      '(the same, or a failed one if none passed) or baseline (the service’s choice)',
  ],
  [
    '--baseline <file>',
    'gate: no case fails that does not fail in this file, and none that passed there is gone; it decides about ' +
      'failures in place of the run’s own verdict',
  ],
  ['--update-baseline', 'write the results into the file of --baseline instead, if all were graded'],
  ['--max-duration <time>', 'gate: the run took no longer', duration],
  ['--max-tokens <count>', 'gate: its models used no more tokens', whole(1, Number.MAX_SAFE_INTEGER)],
  ['--max-broken <count>', 'gate: no more trials broke off or timed out', whole(0, Number.MAX_SAFE_INTEGER)],
  ['--min-judge <share>', 'gate: at least this share of the cases reached the threshold of the judge', share],
  ['--max-p95 <time>', 'gate: 95% of the trials took no longer', duration],
  ['--max-latency <time>', 'gate: no trial took longer', duration],
  ['--gates-only', 'ignore the run’s own verdict'],
  ['--junit <file>', 'write the trials as JUnit XML'],
  ['--summary <file>', 'append the result to this file as Markdown, such as to $GITHUB_STEP_SUMMARY'],
  [
    '--comment <file>',
    'write the result as the Markdown of a comment, with a marker by which the next one replaces it',
  ],
  ['--html <file>', 'write the result as a page to look at'],
  ['--traces <count>', 'with --html: traces to read of trials that did not pass; 20 by default', whole(0, 1000)],
  ['--json', 'print one object at the end'],
  ['--jsonl', 'print one event a line'],
]

/** Declares `mcpdeck watch`, `mcpdeck report` and `mcpdeck run`. */
export const runs: readonly CommandDeclaration[] = [
  command<SessionOptions>({
    name: 'watch',
    says: 'Follow a run to its end; the exit code is its verdict.',
    words: [['<run>', 'id, locator or address of a run']],
    flags: FOLLOW,
    run: async ({ words: [run = ''], own, common }) =>
      (await import('../follow/session.ts')).runWatch(run, common, own),
  }),
  command<SessionOptions>({
    name: 'report',
    says: 'Write what runs did so far into files, without waiting for their end; the exit code is their verdict.',
    words: [['<runs...>', 'ids, locators or addresses of runs']],
    flags: FOLLOW,
    run: async ({ words, own, common }) => (await import('../follow/session.ts')).runReport(words, common, own),
  }),
  command<RunOptions>({
    name: 'run',
    says: 'Launch a suite, or rerun the failed cases of a run, after showing what will run.',
    words: [['[suite]', 'id or name of a suite']],
    flags: [
      ['--rerun-failed <run>', 'rerun the failed cases of this run'],
      ['--environment <id>', 'environment to run in, by id or name; several make a run group', collect, []],
      ['--client <id>', 'attached client to run as, by id or name; several make a run group', collect, []],
      ['--server <id>', 'server to run against instead of the saved ones', collect, []],
      ['--case <id>', 'only this case, by id or title', collect, []],
      ['--cases-of <file>', 'only the cases of this suite file; - reads standard input'],
      ['--tag <tag>', 'with --cases-of: only cases with this tag; of several, with one of them', collect, []],
      ['--skip <tag>', 'with --cases-of: no case with this tag', collect, []],
      ['--shard <part>', 'only this part of the cases, such as 2/5, by how long they took', shard],
      ['--iterations <count>', 'trials of each case', whole(1, 10)],
      ['--model <model>', 'model of every case'],
      ['--model-key-env <provider=variable>', 'your key of a provider, in this variable', collect, []],
      ['--model-key-file <provider=file>', 'your key of a provider, in this file', collect, []],
      ['--notes <text>', 'notes to store with the run'],
      ['--idempotency-key <key>', 'idempotency key: the same key never launches twice'],
      ['--yes', 'do not ask'],
      ...REPEATS,
      ['--watch', 'follow the run to its end; the exit code is its verdict'],
      ['--wait', 'wait for a free run slot'],
      ['--retries <count>', 'run failed cases again, at most so often; one that passes then is flaky', whole(1, 5)],
      ['--quarantine <reason>', 'with --update-baseline: accept the failures of flaky cases from now on'],
      ['--max-flaky <count>', 'gate: no more cases are flaky', whole(0, Number.MAX_SAFE_INTEGER)],
      ['--watch-files <pattern>', 'rerun when a matching file changes, such as src/**; repeatable', collect, []],
      ['--max-runs <count>', 'with --watch-files: launch at most this many runs', whole(1, 10_000)],
      ...FOLLOW,
    ],
    run: async ({ words: [suite], own, common }) =>
      (await import('../launch/run-command.ts')).runLaunch(suite, common, own),
  }),
]
