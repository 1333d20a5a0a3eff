import { execFileSync } from 'node:child_process'
import { getPriority } from 'node:os'
import { expect, test } from 'vitest'

/** What a process of that much lower priority than ours has before and after it gives way. */
function givenWay(below: number): { before: number; after: number } {
  const script = `import { getPriority } from 'node:os'
    import { comeAfterTheScreen } from ${JSON.stringify(new URL('./priority.ts', import.meta.url).href)}
    const before = getPriority()
    comeAfterTheScreen()
    console.log(JSON.stringify({ before, after: getPriority() }))`
  const words = ['-n', String(below), process.execPath, '--input-type=module', '-e', script]
  return JSON.parse(execFileSync('nice', words, { encoding: 'utf8' })) as { before: number; after: number }
}

test.runIf(process.platform === 'linux').each([0, 7, 19])(
  'a thread comes after the screen whatever the priority of the process (%i below ours)',
  below => {
    const { before, after } = givenWay(below)
    expect(before).toBe(Math.min(19, getPriority() + below))
    expect(after).toBe(Math.min(19, before + 5))
  },
)
