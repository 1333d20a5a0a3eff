import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { expect, test, vi } from 'vitest'
import { checkDirectory } from './doctor-checks.ts'

test('a directory on a drive that does not exist cannot be made', () => {
  let reads = 0
  const spy = vi.spyOn(fs, 'lstatSync').mockImplementation(() => {
    reads += 1
    if (reads > 100) throw new Error('It reads without end.')
    return undefined
  })
  const allowed = vi.spyOn(fs, 'accessSync').mockImplementation(() => {
    throw new Error('It does not exist.')
  })
  syncBuiltinESMExports()
  try {
    expect(checkDirectory({ name: 'data', path: '/nowhere/at/all' })).toMatchObject({
      state: 'fail',
      detail: '/nowhere/at/all cannot be made',
    })
  } finally {
    for (const each of [spy, allowed]) each.mockRestore()
    syncBuiltinESMExports()
  }
})
