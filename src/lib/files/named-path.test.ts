import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, test } from 'vitest'
import { namedPath } from './named-path.ts'

test('a file is meant from the folder of the start, or from the home directory after ~/ alone', () => {
  expect(namedPath('~/suites/a.yaml')).toBe(join(homedir(), 'suites/a.yaml'))
  expect(namedPath(' a.yaml ')).toBe(resolve('a.yaml'))
  expect(namedPath('/tmp/~/a.yaml')).toBe('/tmp/~/a.yaml')
  expect(namedPath('~other/a.yaml')).toBe(resolve('~other/a.yaml'))
})
