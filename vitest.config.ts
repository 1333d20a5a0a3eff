import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { isInstalled } from './test/programs.ts'
import { SlowFirst } from './test/slow-first.ts'
import { chooseRoomyFolder } from './test/temporary-folder.ts'

chooseRoomyFolder()

const tests = (folder: string): string => `${folder}/**/*.test.{ts,tsx}`

/** The longest that a test and a hook may take, in milliseconds; who needs more names a limit of its own. */
const within = (limit: number) => ({ testTimeout: limit, hookTimeout: limit })

/** Tests beside their modules that start programs all the same, or set the clock that the others share. */
const APART = [
  'src/hooks/use-connection.test.tsx',
  tests('src/service/connections'),
  'src/app/shell/{needs,tasks}.test.tsx',
  'src/tui/terminal/restore.test.ts',
  'src/cli/editor/browser.test.ts',
  'src/cli/output/output.test.ts',
  'src/components/markdown/markdown.test.tsx',
  'src/components/mouse-areas.test.tsx',
]

/** Tests that draw: many of them load every screen first, which takes half a minute where processors are busy. */
const DRAWING = [tests('src/screens'), tests('src/app'), tests('src/components')]

/** Tests of what the whole process has: bundles, native modules, hours of attacks. */
const ISOLATED = [tests('test/tooling'), tests('test/fuzz')]

/** What a machine may lack beside Node, npm, git and the tools of a shell: tests that start one have it as a tag. */
const OTHER_PROGRAMS = ['bash', 'fish', 'setsid', 'tmux', 'zsh']

const setupFiles = [
  './test/property-seed.ts',
  './test/fresh-connections.ts',
  './test/answer-check.ts',
  './test/failed-test.ts',
]
const drawing = [...setupFiles, './test/built-packages.ts']
const built = './test/built-thread.ts'

export default defineConfig({
  oxc: { jsx: { development: false } },
  test: {
    // Otherwise the style of a report's page would be empty.
    css: true,
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          // Each takes a few seconds of a processor at most, which others want too.
          ...within(20_000),
          include: [tests('src')],
          exclude: [...DRAWING, ...APART],
          isolate: false,
          setupFiles: [...drawing, './test/no-process.ts'],
        },
      },
      {
        extends: true,
        // Built too: their servers are those of the program.
        test: {
          name: 'screens',
          ...within(60_000),
          include: DRAWING,
          exclude: APART,
          isolate: false,
          globalSetup: ['./test/built-program.ts'],
          setupFiles: [...drawing, built],
        },
      },
      {
        extends: true,
        // Built once all the same: its tests start the program too.
        test: {
          name: 'service',
          include: [tests('test/service')],
          isolate: false,
          globalSetup: ['./test/built-program.ts'],
          setupFiles: [...setupFiles, built],
        },
      },
      {
        extends: true,
        // Programs are under test, so files share the processes that start them.
        test: {
          name: 'journeys',
          include: [tests('test/journeys')],
          isolate: false,
          globalSetup: ['./test/built-program.ts'],
          setupFiles: [...setupFiles, built],
        },
      },
      {
        extends: true,
        // Commands are under test in processes of their own, so files share those that start them.
        test: {
          name: 'processes',
          include: [tests('test')],
          exclude: [tests('test/service'), tests('test/journeys'), ...ISOLATED],
          isolate: false,
          unstubEnvs: true,
          globalSetup: ['./test/built-program.ts'],
          setupFiles: [...setupFiles, built],
        },
      },
      {
        extends: true,
        // Each file gets a process of its own.
        test: {
          name: 'isolated',
          include: [...ISOLATED, ...APART],
          globalSetup: ['./test/built-program.ts'],
          setupFiles,
        },
      },
    ],
    tags: OTHER_PROGRAMS.map(name => ({ name, description: `starts ${name}`, skip: !isInstalled(name) })),
    pool: 'forks',
    // Most of what tests make is short-lived: a larger young space collects it less often. Other processes want the
    // processors that would help to collect it.
    execArgv: ['--min-semi-space-size=32', '--max-semi-space-size=32', '--single-threaded-gc'],
    maxWorkers: 6,
    // Some tests start a dozen processes, on two busy cores; where a machine is slow, nothing is wrong with them.
    ...within(120_000),
    expect: { poll: { timeout: 30_000 } },
    env: {
      // Programs that tests start from the source need not be compiled each time.
      NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled'),
      // The terminal of ink-testing-library has no height: without one here Ink starts tput twice for each frame.
      COLUMNS: '100',
      LINES: '40',
    },
    sequence: { sequencer: SlowFirst },
    reporters: ['default', './test/closing-line.ts'],
  },
})
