import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'

/** Runs a script in a process of its own and returns the JSON that it prints. */
function printed<T>(script: string, { before = [] as string[], flags = [] as string[] }): T {
  const [command, ...words] = [...before, process.execPath, ...flags, '--input-type=module', '-e', script]
  return JSON.parse(execFileSync(command, words, { encoding: 'utf8' })) as T
}

const source = JSON.stringify(new URL('./priority.ts', import.meta.url).href)

/**
 * Returns the priority of a process before and after it is lowered. The process starts `below` levels below this one.
 */
function givenWay(below: number): { before: number; after: number } {
  const script = `import { getPriority } from 'node:os'
    import { comeAfterTheScreen } from ${source}
    const before = getPriority()
    comeAfterTheScreen()
    console.log(JSON.stringify({ before, after: getPriority() }))`
  return printed(script, { before: ['nice', '-n', String(below)] })
}

test.runIf(process.platform === 'linux').each([0, 7, 19])(
  'a thread has a lower priority than the screen, also in a process %i below our priority',
  below => {
    const { before, after } = givenWay(below)
    expect(before).toBe(Math.min(19, getPriority() + below))
    expect(after).toBe(Math.min(19, before + 5))
  },
)

/**
 * Runs a process that keeps replacing the same few megabytes of old objects. Returns the maximum size of its heap and
 * the size that it needs, in bytes.
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
  // When V8 begins a collection depends on the machine's memory, its load, and the start of the process.
  return printed(script, { flags: SETTLED })
}

const SETTLED = [
  '--expose-gc',
  '--no-incremental-marking',
  '--single-threaded-gc',
  '--max-semi-space-size=1',
  '--max-old-space-size=2048',
]

test('unused old objects are collected before the heap is twice as large as needed', () => {
  const { most, needed } = heapGrowth('collectOldSooner()')
  expect(most).toBeLessThan(2 * needed)
})
