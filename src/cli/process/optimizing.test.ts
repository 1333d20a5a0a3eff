import { setFlagsFromString } from 'node:v8'
import { runInThisContext } from 'node:vm'
import { afterEach, expect, test } from 'vitest'
import { setOptimizing } from './memory-release.ts'

afterEach(() => setOptimizing(true))

/** Bits of the status that V8 reports of a function: optimized by either compiler. */
const OPTIMIZED = (1 << 4) | (1 << 5) | (1 << 6)

/** Returns a function that was never called, and whether V8 has optimized it. */
function fresh() {
  setFlagsFromString('--allow-natives-syntax')
  const made = runInThisContext(`({
    add: (list) => { let sum = 0; for (const each of list) sum += each; return sum },
    statusOf: (run) => %GetOptimizationStatus(run),
  })`) as { add: (list: readonly number[]) => number; statusOf: (run: unknown) => number }
  const isOptimized = () => (made.statusOf(made.add) & OPTIMIZED) !== 0
  // The first call compiles it.
  expect(isOptimized()).toBe(false)
  setFlagsFromString('--no-allow-natives-syntax')
  return { run: made.add, isOptimized }
}

const LIST = Array.from({ length: 1000 }, (_, index) => index)

/** Calls the function until V8 has optimized it on another thread, or so often that it never will. */
async function runsUntilOptimized({ run, isOptimized }: ReturnType<typeof fresh>): Promise<boolean> {
  for (let turn = 0; turn < 300 && !isOptimized(); turn += 1) {
    for (let call = 0; call < 100; call += 1) run(LIST)
    await new Promise(setImmediate)
  }
  return isOptimized()
}

test('frequently used code is optimized while someone is there, and not otherwise', async () => {
  setOptimizing(false)
  const meanwhile = fresh()
  expect(await runsUntilOptimized(meanwhile)).toBe(false)
  setOptimizing(true)
  expect(await runsUntilOptimized(meanwhile)).toBe(true)
})
