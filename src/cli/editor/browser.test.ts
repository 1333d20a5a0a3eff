import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { createHome, removeHome } from '../../../test/pty/home.ts'
import { openFile, openInBrowser } from './browser.ts'

let home: string
let noted: string
beforeEach(() => {
  home = createHome()
  onTestFinished(() => removeHome(home))
  noted = join(home, 'noted')
})

/** Returns the environment of a desktop whose opener records its arguments, and exits with this code. */
function desktop(code: number): NodeJS.ProcessEnv {
  const opener = join(home, 'xdg-open')
  writeFileSync(opener, `#!/bin/sh\n{ printf '%s\\n' "$@"; env; } > ${noted}\nexit ${code}\n`)
  chmodSync(opener, 0o755)
  return { PATH: `${home}:/usr/bin:/bin`, HOME: home, DISPLAY: ':0', MCPDECK_API_KEY: 'sk_secret', AWS_TOKEN: 'x' }
}

const url = 'https://app.example/p/1?a=$(touch owned)&b=;ls'

test('the address is passed to the desktop as one argument, without secrets', async () => {
  expect(await openInBrowser(url, desktop(0), 'linux')).toBeUndefined()
  const [first, ...env] = readFileSync(noted, 'utf8').trim().split('\n')
  expect(first).toBe(url)
  expect(env).toContain('DISPLAY=:0')
  expect(env.join('\n')).not.toMatch(/sk_secret|AWS_TOKEN|MCPDECK/)
})

test.each<[string, (env: NodeJS.ProcessEnv) => NodeJS.ProcessEnv, string]>([
  ['over ssh', env => ({ ...env, SSH_CONNECTION: '10.0.0.1 1 10.0.0.2 22' }), 'This is a remote session'],
  ['without a desktop', env => ({ ...env, DISPLAY: '' }), 'There is no desktop here.'],
  ['without an opener', env => ({ ...env, PATH: '/nowhere' }), 'xdg-open cannot be run.'],
])('the error says why no browser can be opened %s', async (_, change, reason) => {
  expect(await openInBrowser(url, change(desktop(0)), 'linux')).toContain(reason)
  expect(existsSync(noted)).toBe(false)
})

test('a file is passed to the desktop by its path only', async () => {
  expect(await openFile('/tmp/a b;ls.png', desktop(0), 'linux')).toBeUndefined()
  expect(readFileSync(noted, 'utf8').split('\n')[0]).toBe('/tmp/a b;ls.png')
  expect(await openFile('/tmp/a.png', { ...desktop(0), SSH_TTY: '/dev/pts/1' }, 'linux')).toContain('without a desktop')
})

test('a program that fails to open an address is reported, and anything but a web address is refused', async () => {
  expect(await openInBrowser(url, desktop(3), 'linux')).toBe('xdg-open could not open it.')
  expect(await openInBrowser('file:///etc/passwd', desktop(0), 'linux')).toBe('Only web addresses can be opened.')
})
