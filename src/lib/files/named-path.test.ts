import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { namedPath } from './named-path.ts'

test('a path is relative to the folder of the start, and only ~/ means the home directory', () => {
  expect(namedPath('~/suites/a.yaml')).toBe(join(homedir(), 'suites/a.yaml'))
  expect(namedPath(' a.yaml ')).toBe(resolve('a.yaml'))
  expect(namedPath('/tmp/~/a.yaml')).toBe('/tmp/~/a.yaml')
  expect(namedPath('~other/a.yaml')).toBe(resolve('~other/a.yaml'))
})
