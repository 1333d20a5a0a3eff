import { expect, test } from 'vitest'
import { referredReach } from './reach.ts'
import { withoutAddresses } from './secrets.ts'

test.each([
  [
    ['--header', 'Authorization: Basic dXNlcjpwYXNz'],
    ['--header', '$argument_2'],
  ],
  [
    ['-H', 'X-Api-Key: abc123'],
    ['-H', '$argument_2'],
  ],
  [['X-Trace: a'], ['$argument_1']],
  [['--header=X-Trace: zzz'], ['$argument_1']],
  [['--Header=X-Id:abc'], ['$argument_1']],
  [['-HX-Api-Key:abc'], ['$argument_1']],
  [['--pat=abcdef'], ['$argument_1']],
  [['-eFOO=bar'], ['$argument_1']],
  [
    ['-u', 'me:pass'],
    ['-u', '$argument_2'],
  ],
  [
    ['--pat', 'abcdef'],
    ['--pat', '$argument_2'],
  ],
  [
    ['--connection-string', 'Server=db;Password=x'],
    ['--connection-string', '$argument_2'],
  ],
  [['postgres://db?x=1;password=y'], ['$argument_1']],
  [
    ['-e', 'TOKEN'],
    ['-e', '$argument_2'],
  ],
  [
    ['-y', '@scope/server', '--depth', '3'],
    ['-y', '@scope/server', '--depth', '3'],
  ],
])('an exported file contains only those of the arguments %j that are certainly not secret', (args, expected) => {
  expect(referredReach({ command: 'npx', args }, name => `$${name}`).args).toEqual(expected)
})

test('an address with a user is not shown, however its scheme is written', () => {
  for (const scheme of ['https', 'HTTPS'])
    expect(withoutAddresses(`at ${scheme}://me:pass@host.example/mcp`, [])).toBe('at [secret]')
})
