import { expect, test } from 'vitest'
import { openHome } from './program.ts'

test.concurrent.each([
  [[]],
  [['--help']],
  [['api', '--list', '--json']],
  [['completion', 'bash']],
  [['config', 'path']],
])('%j ends quietly if nobody reads its output', async args => {
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

test.concurrent.each([[[]], [['--help']], [['api', '--list', '--json']], [['get', 'projects']]])(
  'a full disk behind the output of %j is not reported as a failed verdict',
  async args => {
    const home = await openHome()
    try {
      const { code, stderr } = await home.run(args, { stdout: '/dev/full' })
      expect(stderr).toContain('Refused by this machine: no space left on device.')
      expect(stderr).not.toContain('    at ')
      expect(code).toBe(3)
    } finally {
      await home.close()
    }
  },
)

test.concurrent.each([[[]], [['get', 'projects']], [['doctor']]])(
  'a full disk behind all output of %j is not reported as a failed verdict either',
  async args => {
    const home = await openHome()
    try {
      expect(await home.run(args, { stdout: '/dev/full 2>&1' })).toMatchObject({ code: 3 })
    } finally {
      await home.close()
    }
  },
)

test.concurrent.each([
  [['serve', '--port', '0'], 3],
  [['serve', 'key', 'list'], 3],
  [['serve', 'limits'], 3],
  [['get', 'projects'], 3],
])('%j ends with a sentence if the data directory cannot be created', async (args, code) => {
  const home = await openHome()
  try {
    const ended = await home.run([...args, '--data-dir', '/dev/null/workspace'])
    expect(ended).toMatchObject({ code, stdout: '' })
    expect(ended.stderr).toMatch(/^(?:Refused by this machine|Local workspace closed): .*\/dev\/null.*\.\n$/)
  } finally {
    await home.close()
  }
})

test('relative directories in the environment are refused', async () => {
  const home = await openHome()
  try {
    const { code, stderr } = await home.run(['get', 'projects'], { env: { HOME: '', XDG_DATA_HOME: '' } })
    expect(stderr).toContain('set HOME')
    expect(code).toBe(2)
  } finally {
    await home.close()
  }
})
