import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isFolded, revealed } from './folding.ts'
import { foldable, jsonRows, openDepth, valueAt } from './json-tree.ts'

const value = { name: 'a', tags: ['x', { deep: [1, 2] }], empty: {}, none: undefined, 'a/b': { c: null } }

function text(folded: readonly string[]): string[] {
  return jsonRows(value, path => folded.includes(path)).map(row => '  '.repeat(row.depth) + row.text)
}

test('a path is revealed by unfolding what is around it and nothing else', () => {
  const folded = { all: true, except: new Set(['']) }
  const shown = revealed(folded, '/tags/1/deep/0')
  expect(foldable(value).filter(path => isFolded(shown, path))).toEqual(['/a~1b'])
  expect(isFolded(revealed({ all: false, except: new Set(['', '/tags']) }, '/tags'), '/tags')).toBe(true)
})

describe('JSON in lines', () => {
  test('unfolded is what JSON.stringify writes', () => {
    fc.assert(
      fc.property(fc.jsonValue(), document => {
        const lines = jsonRows(document, () => false).map(row => '  '.repeat(row.depth) + row.text)
        expect(lines.join('\n')).toBe(JSON.stringify(document, null, 2))
      }),
    )
  })

  test('a folded value is one line with how much is in it', () => {
    expect(text(['/tags', '/a~1b'])).toEqual([
      '{',
      '  "name": "a",',
      '  "tags": [ 2 ],',
      '  "empty": {},',
      '  "a/b": { 1 }',
      '}',
    ])
    expect(text([''])).toEqual(['{ 4 }'])
  })

  test('every foldable value is named by its path, outermost first', () => {
    expect(foldable(value)).toEqual(['', '/tags', '/a~1b', '/tags/1', '/tags/1/deep'])
    expect(foldable(value, 0)).toEqual([''])
    expect(valueAt(value, '/tags/1/deep')).toEqual([1, 2])
    expect(valueAt(value, '/a~1b')).toEqual({ c: null })
    expect(valueAt(value, '/tags/9/deep')).toBeUndefined()
  })

  test('a long document opens only as deep as it stays short', () => {
    const long = { items: Array.from({ length: 2000 }, (_, id) => ({ id, more: [id] })) }
    const open = new Set(foldable(long, openDepth(long) - 1))
    const rows = jsonRows(long, path => !open.has(path))
    expect(rows.length).toBeLessThan(510)
    expect(jsonRows(value, path => !new Set(foldable(value, openDepth(value) - 1)).has(path))).toHaveLength(
      16,
    )
  })
})
