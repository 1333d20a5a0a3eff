import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'

/** What a process of ours prints as JSON. */
function printed<T>(script: string, { before = [] as string[], flags = [] as string[] }): T {
  const [command, ...words] = [...before, process.execPath, ...flags, '--input-type=module', '-e', script]
  return JSON.parse(execFileSync(command, words, { encoding: 'utf8' })) as T
}

const source = JSON.stringify(new URL('./priority.ts', import.meta.url).href)

/** What a process of that much lower priority than ours has before and after it gives way. */
function givenWay(below: number): { before: number; after: number } {
  const script = `import { getPriority } from 'node:os'
    import { comeAfterTheScreen } from ${source}
    const before = getPriority()
    comeAfterTheScreen()
    console.log(JSON.stringify({ before, after: getPriority() }))`
  return printed(script, { before: ['nice', '-n', String(below)] })
}

test.runIf(process.platform === 'linux').each([0, 7, 19])(
  'a thread comes after the screen whatever the priority of the process (%i below ours)',
  below => {
    const { before, after } = givenWay(below)
    expect(before).toBe(Math.min(19, getPriority() + below))
    expect(after).toBe(Math.min(19, before + 5))
  },
)

/**
 * How large the heap gets at most in a process that goes on replacing the same few megabytes of old objects, and how
 * much of it is needed; both in bytes.
 */
function heapGrowth(begin: string): { most: number; needed: number } {
  const script = `import { collectOldSooner } from ${source}
    const kept = []
    let most = 0
    const replace = times => {
      for (let at = 0; at < times; at += 1) {
        kept[at % 50_000] = new Array(100).fill(at)
        if (at % 1000 === 0) most = Math.max(most, process.memoryUsage().heapUsed)
      }
    }
    ${begin}
    replace(200_000)
    gc()
    const needed = process.memoryUsage().heapUsed
    most = 0
    replace(600_000)
    console.log(JSON.stringify({ most, needed }))`
  // When V8 collects depends on the memory of the machine, on what else it does, and on how the process began.
  return printed(script, { flags: SETTLED })
}

const SETTLED = [
  '--expose-gc',
  '--no-incremental-marking',
  '--single-threaded-gc',
  '--max-semi-space-size=1',
  '--max-old-space-size=2048',
]

test('old objects that nobody needs any more are collected before they are several times the others', () => {
  const { most, needed } = heapGrowth('collectOldSooner()')
  expect(most).toBeLessThan(2 * needed)
})
