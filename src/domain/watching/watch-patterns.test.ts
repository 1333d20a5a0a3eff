import { expect, test } from 'vitest'
import { patternOfCommand } from './watch-patterns.ts'

test.each([
  [['server.js'], 'server.js'],
  [['/work/a/dist/index.js'], 'dist/**'],
  [['/elsewhere/dist/index.js'], '/elsewhere/dist/**'],
  [['--config', '-x/y.json', '/elsewhere/a.py'], '/elsewhere/**'],
  [['-y', '@scope/server@1.2.3'], undefined],
  [['/work/a/node_modules/server/index.js'], undefined],
  [['run', 'server'], undefined],
])('the watched files of a server that is started with %j are %s', (args, pattern) => {
  expect(patternOfCommand({ command: 'node', args }, '/work/a')).toBe(pattern)
})
