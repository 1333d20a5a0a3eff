import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { declaredSurface, promisedIn, stabilityDocument } from '../../scripts/docs/stability.ts'
import { root } from '../../scripts/paths.ts'

test('every command, argument, option and setting that was promised exists', () => {
  const promised = promisedIn(readFileSync(join(root, 'docs/stability.md'), 'utf8'))
  const declared = declaredSurface()
  expect(promised.size).toBeGreaterThan(50)
  expect(promised.get('run:')).toEqual(expect.arrayContaining(['[suite]', '--yes', '--summary']))
  const gone = [...promised].flatMap(([name, words]) => {
    const now = declared.get(name)
    return now ? words.filter(word => !now.includes(word)).map(word => `${name} ${word}`) : [name]
  })
  expect(gone).toEqual([])
})

test('a promised name stays in the document when the document is generated again', () => {
  const before = '```text\nrun: [suite] --gone\nvanished: --all\n```\n'
  const after = promisedIn(stabilityDocument(before))
  expect(after.get('run:')).toEqual(expect.arrayContaining(['--yes', '--gone']))
  expect(after.get('vanished:')).toEqual(['--all'])
  expect(promisedIn(stabilityDocument(stabilityDocument(before)))).toEqual(after)
})
