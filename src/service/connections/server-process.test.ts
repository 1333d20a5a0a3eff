import { expect, onTestFinished, test } from 'vitest'
import { createGuardian } from './guardian.ts'
import { startServer } from './server-process.ts'

test('an error of a pipe to a program does not end this process', async () => {
  const guardian = createGuardian()
  const waits = { command: process.execPath, args: ['--eval', 'process.stdin.resume()'], env: {} }
  const { child, end } = await startServer(waits, 'waits', guardian, 'here')
  onTestFinished(async () => {
    await end()
    guardian.close()
  })
  // Without a listener, the error would be thrown here.
  for (const pipe of [child.stdin, child.stdout, child.stderr]) expect(pipe.emit('error', new Error('EIO'))).toBe(true)
})
