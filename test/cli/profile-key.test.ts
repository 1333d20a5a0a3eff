import {
  chmodSync,
  fstatSync,
  mkdtempSync,
  openSync,
  realpathSync,
  closeSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exposureOfOpen } from '../../src/lib/files/owner-only.ts'
import { KEY_PREFIX } from '../../src/api/contract/wire.ts'
import { readKey } from '../../src/cli/config/profile-key.ts'

const never = () => Promise.reject(new Error('Nobody is asked.'))

/** A config file whose profile `prod` gets its key from a command. */
function configWith(command: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpdeck-key-')))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const config = join(folder, 'config.yaml')
  writeFileSync(config, `profiles:\n  prod:\n    baseUrl: https://x.test\n    keyCommand: ${command}\n`, {
    mode: 0o600,
  })
  return config
}

const keyOf = (config: string, words: readonly string[]) =>
  readKey(
    { name: 'prod', baseUrl: 'https://x.test/api/v1', source: { kind: 'command', words, config, profile: 'prod' } },
    { PATH: process.env['PATH'] },
    never,
  )

test('a key command runs as written in the checked file', async () => {
  const config = configWith(`echo ${KEY_PREFIX}key`)
  await expect(keyOf(config, ['echo', `${KEY_PREFIX}key`])).resolves.toBe(`${KEY_PREFIX}key`)
  const replaced = keyOf(config, ['echo', `${KEY_PREFIX}another`])
  await expect(replaced).rejects.toThrow('is not run: the file was changed since it was read. Try again.')
  chmodSync(config, 0o666)
  await expect(keyOf(config, ['echo', `${KEY_PREFIX}key`])).rejects.toThrow('can be written by others (mode 666)')
})

test('a file that replaces an open one is not read in its place', () => {
  const config = configWith('true')
  const other = configWith('false')
  const descriptor = openSync(config, 'r')
  onTestFinished(() => closeSync(descriptor))
  const open = fstatSync(descriptor)
  expect(exposureOfOpen(config, open)).toBeUndefined()
  renameSync(other, config)
  expect(exposureOfOpen(config, open)).toMatchObject({ why: `${config} was replaced while it was read` })
})
