import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { PARTS } from '../fuzz/parts.ts'

const ROOT = join(import.meta.dirname, '../..')
const document = readFileSync(join(ROOT, 'docs/security.md'), 'utf8')
const promises = document.split('\n').filter(line => line.startsWith('| ') && line.includes('.test.ts'))

test('every promise of docs/security.md names tests that exist, by file and title', () => {
  expect(promises.length).toBeGreaterThan(20)
  for (const promise of promises) {
    const named = [...promise.matchAll(/`([\w./-]+\.test\.tsx?)`: "([^"]+)"/g)]
    expect(named.length, promise).toBe(promise.match(/\.test\.tsx?`/g)?.length)
    for (const [, file = '', title = ''] of named) {
      expect([file, existsSync(join(ROOT, file))]).toEqual([file, true])
      const isThere = readFileSync(join(ROOT, file), 'utf8').includes(`'${title}'`)
      expect([file, title, isThere]).toEqual([file, title, true])
    }
  }
})

test('docs/security.md lists exactly the parts of the fuzz suite', () => {
  const [, listed = ''] = document.split('## Fuzz')
  const rows = listed.split('\n').filter(line => line.startsWith('| `'))
  expect(rows).toEqual(PARTS.map(({ name, says }) => `| \`${name}\` | ${says} |`))
})
