import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openHome } from './program.ts'
import { openHttpServer } from './service-double.ts'

const KEY = 'sk_of_prod'
let home: Awaited<ReturnType<typeof openHome>>
let service: Awaited<ReturnType<typeof openHttpServer>>
beforeEach(async () => {
  home = await openHome()
  service = await openHttpServer(KEY)
})
afterEach(async () => {
  await service.close()
  await home.close()
})

const add = (...args: string[]) => home.run(['profile', 'add', 'prod', service.address, ...args])
const me = () => home.run(['--profile', 'prod', 'api', 'account.me'])

const config = '.config/mcpdeck/config.yaml'
const isRoot = process.getuid?.() === 0
test.each<[string, (path: string) => void, string]>([
  ['everyone can write', path => chmodSync(path, 0o606), 'can be written by others (mode 606). chmod go-w'],
  ['its group can write', path => chmodSync(path, 0o660), 'can be written by others (mode 660). chmod go-w'],
  ['others can replace', path => chmodSync(dirname(path), 0o770), 'mcpdeck can be written by others (mode 770)'],
  ...(isRoot
    ? ([['belongs to another user', path => chownSync(path, 12_345, 12_345), 'belongs to another user']] satisfies [
        string,
        (path: string) => void,
        string,
      ][])
    : []),
])('a key command is not run from a config file that %s', async (_, expose, why) => {
  await add('--key-command', `touch '${join(home.home, 'ran')}'`)
  expose(join(home.home, config))
  const { code, stderr } = await me()
  expect(code).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(why)
  expect(existsSync(join(home.home, 'ran'))).toBe(false)
  expect(service.seen).toEqual([])
})

test.each<[string, (path: string) => void, string]>([
  ['a named pipe', path => execFileSync('mkfifo', ['-m', '600', path]), 'it is not a regular file'],
  ['a directory', path => mkdirSync(path, { mode: 0o700 }), 'it is not a regular file'],
  ['a device', path => symlinkSync('/dev/zero', path), 'it is not a regular file'],
  [
    'a huge file',
    path => {
      writeFileSync(path, KEY, { mode: 0o600 })
      truncateSync(path, 2 ** 40)
    },
    'it is larger than 65536 bytes',
  ],
])('a key file that is %s is refused at once', async (_, make, why) => {
  const path = join(home.home, 'odd.key')
  make(path)
  await add('--key-file', path)
  const { code, stderr } = await me()
  expect(code).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain(`${path} cannot be read: ${why}.`)
})

test('a config file that is a named pipe is refused at once', async () => {
  const path = join(home.home, 'pipe.yaml')
  execFileSync('mkfifo', ['-m', '600', path])
  const { code, stderr } = await home.run(['get', 'projects'], { env: { MCPDECK_CONFIG: path } })
  expect(code).toBe(2)
  expect(stderr.replaceAll(/\s+/g, ' ')).toContain('cannot be read: it is not a regular file')
})
