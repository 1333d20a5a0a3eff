import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const SCRIPT = `
  import { outliveReaders } from ${JSON.stringify(join(import.meta.dirname, 'output.ts'))}
  outliveReaders()
  process.stdin.resume().once('end', () => {
    process.stdout.write('to nobody')
    process.stderr.write('to nobody')
  })`

test('a reader that closes a stream before its first use does not crash the program', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT])
  for (const reader of [child.stdout, child.stderr]) {
    reader.destroy()
    await once(reader, 'close')
  }
  child.stdin.end()
  expect(await once(child, 'exit')).toEqual([0, null])
})
