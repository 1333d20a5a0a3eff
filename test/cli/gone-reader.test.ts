import { expect, test } from 'vitest'
import { openHome } from './program.ts'

test.concurrent.each([
  [[]],
  [['--help']],
  [['api', '--list', '--json']],
  [['completion', 'bash']],
  [['config', 'path']],
])('nobody reads what %j prints: it ends by itself, without a word', async args => {
  const home = await openHome()
  try {
    const { child, ended } = home.start(args)
    child.stdout.destroy()
    child.stdin.end()
    expect(await ended()).toMatchObject({ code: 0, stderr: '' })
  } finally {
    await home.close()
  }
})
