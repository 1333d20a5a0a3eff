import { execFileSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import { openHome } from './program.ts'

/** Endless spaces, which may precede any JSON and YAML. */
function* spaces(): Generator<Buffer> {
  for (const chunk = Buffer.alloc(1 << 16, ' '); ;) yield chunk
}

test.concurrent.each([
  [['apply', '-f', '-', '--yes'], /-:1:\d+: The text is longer than/],
  [['suite', 'import', '-'], /-:1:\d+: The text is longer than/],
  [['api', 'createProject', '--input', '-'], /- cannot be read: it is larger than/],
  [['api', 'createProject', '--input', '/dev/zero'], /\/dev\/zero cannot be read: it is larger than/],
  [['snapshot', 'diff', '-', 'everything'], /- cannot be read: it is larger than/],
])('%j stops reading an endless input once it is too long', async (args, words) => {
  const home = await openHome()
  try {
    const { child, ended } = home.start(args)
    // The program exits before everything is written, so that writing fails.
    const written = pipeline(Readable.from(spaces()), child.stdin).catch(() => undefined)
    const { code, stderr } = await ended()
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(words) })
    await written
  } finally {
    await home.close()
  }
})

test('a snapshot can be piped in from another command by the shell', async () => {
  const home = await openHome()
  try {
    const pipe = join(home.home, 'pipe')
    execFileSync('mkfifo', [pipe])
    const { ended } = home.start(['snapshot', 'diff', pipe, 'everything'])
    await writeFile(pipe, '{"tools": [{"name": "gone"}]}')
    expect(await ended()).toMatchObject({ code: 1, stdout: expect.stringContaining('tool gone: is gone') })
  } finally {
    await home.close()
  }
})
