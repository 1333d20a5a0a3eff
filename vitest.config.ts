import { join } from 'node:path'
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['src/**/*.test.{ts,tsx}', 'test/**/*.test.{ts,tsx}'],
    // Real processes and native modules are under test: each file gets a process of its own.
    pool: 'forks',
    maxWorkers: 3,
    // Some tests start a dozen processes, on two busy cores.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    // Programs that tests start from the source need not be compiled each time.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    setupFiles: ['./test/property-seed.ts', './test/answer-check.ts'],
    reporters: ['default', './test/closing-line.ts'],
  },
})
