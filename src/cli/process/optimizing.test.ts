import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import { setOptimizing } from './memory-release.ts'

afterEach(() => setOptimizing(true))

/** Bits of what V8 answers about a function: optimized by either compiler. */
const OPTIMIZED = (1 << 4) | (1 << 5) | (1 << 6)

/** A function that nobody called before, and whether V8 has optimized it. */
function fresh() {
  setFlagsFromString('--allow-natives-syntax')
  const made = runInThisContext(`({
    add: (list) => { let sum = 0; for (const each of list) sum += each; return sum },
    statusOf: (run) => %GetOptimizationStatus(run),
  })`) as { add: (list: readonly number[]) => number; statusOf: (run: unknown) => number }
  const isOptimized = () => (made.statusOf(made.add) & OPTIMIZED) !== 0
  // Compiled with its first call.
  expect(isOptimized()).toBe(false)
  setFlagsFromString('--no-allow-natives-syntax')
  return { run: made.add, isOptimized }
}

const LIST = Array.from({ length: 1000 }, (_, index) => index)

/** Runs until V8 optimizes, which another thread does, or for as often as it never would without. */
async function runsUntilOptimized({ run, isOptimized }: ReturnType<typeof fresh>): Promise<boolean> {
  for (let turn = 0; turn < 300 && !isOptimized(); turn += 1) {
    for (let call = 0; call < 100; call += 1) run(LIST)
    await new Promise(setImmediate)
  }
  return isOptimized()
}

test('what runs often is optimized while somebody is there, and not while nobody is', async () => {
  setOptimizing(false)
  const meanwhile = fresh()
  expect(await runsUntilOptimized(meanwhile)).toBe(false)
  setOptimizing(true)
  expect(await runsUntilOptimized(meanwhile)).toBe(true)
})
