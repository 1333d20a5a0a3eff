import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openTerminal } from '../pty/terminal.ts'
import { openHome } from './program.ts'

/** Unwritable directories in the environment, by what is wrong with them. */
const odd: Record<string, (home: string) => string> = {
  'below /proc': () => '/proc',
  'a file': home => {
    writeFileSync(join(home, 'file'), '')
    return join(home, 'file')
  },
  'a link to nothing': home => {
    symlinkSync(join(home, 'nothing'), join(home, 'link'))
    return join(home, 'link')
  },
  'a link to itself': home => {
    symlinkSync('self', join(home, 'self'))
    return join(home, 'self')
  },
  'a device': () => '/dev/null',
}

async function open() {
  const home = await openHome()
  onTestFinished(() => home.close())
  return home
}

describe.each(Object.entries(odd))('a directory that is %s', (_, prepare) => {
  test.each(['XDG_STATE_HOME', 'XDG_CACHE_HOME'])('in %s makes no command fail', async name => {
    const home = await open()
    const env = { [name]: prepare(home.home) }
    const listed = await home.run(['get', 'projects'], { env })
    expect(listed.stdout).toContain('Sandbox')
    expect(listed.code).toBe(0)
    const { stdout } = await home.run(['doctor', '--json'], { env })
    const { items } = JSON.parse(stdout) as { items: { check: string; state: string; next: string | null }[] }
    expect(items.filter(({ state }) => state === 'fail' || state === 'warn')).not.toEqual([])
  })

  test('is named in the error if it is for the workspace itself', async () => {
    const home = await open()
    const directory = prepare(home.home)
    const { code, stderr } = await home.run(['get', 'projects'], { env: { XDG_DATA_HOME: directory } })
    expect(code).not.toBe(0)
    expect(stderr).toContain(join(directory, 'mcpdeck').slice(0, directory.length))
  })

  test('does not prevent the dashboard from working and ending', async () => {
    const home = await open()
    const directory = prepare(home.home)
    const env = { XDG_STATE_HOME: directory, XDG_CACHE_HOME: directory }
    await using terminal = openTerminal({ home: home.home, env })
    await terminal.waitFor('▌Sandbox')
    terminal.type('q')
    expect(await terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
  })

  test('lets a write happen once, or the error says why not', async () => {
    const home = await open()
    const env = { XDG_STATE_HOME: prepare(home.home) }
    const write = ['api', 'createProject', '--field', 'name=Odd', '--yes']
    const { code, stderr } = await home.run(write, { env })
    const { stdout } = await home.run(['get', 'projects'])
    expect(stdout.split('Odd').length - 1).toBe(code === 0 ? 1 : 0)
    if (code !== 0) expect(stderr).not.toBe('')
  })
})
