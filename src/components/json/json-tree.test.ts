import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rowsOf, UNFOLDED } from '../../../test/outline-rows.ts'
import {
  AS_GIVEN,
  lineAt,
  outline,
  outlineCandidates,
  revealed,
  toggled,
  type Folding,
} from '../viewer/outline-tree.ts'
import { createSearch } from '../viewer/search.ts'
import { plainText } from '../viewer/source.ts'
import { jsonNode, openDepth } from './json-tree.ts'

const value = { name: 'a', tags: ['x', { deep: [1, 2] }], empty: {}, none: undefined, 'a/b': { c: null } }

/** Returns the lines in the layout of JSON.stringify. */
function text(document: unknown, folding: Folding): string {
  const shown = outline([jsonNode(document, { id: '' })], folding)
  return Array.from({ length: shown.count }, (_, line) => {
    const { entry, offset } = shown.at(line)
    return '  '.repeat(entry.depth) + plainText(entry.lines.at(offset))
  }).join('\n')
}

describe('JSON as a tree', () => {
  test('equals the output of JSON.stringify when unfolded', () => {
    fc.assert(
      fc.property(fc.jsonValue(), document => {
        expect(text(document, UNFOLDED)).toBe(JSON.stringify(document, null, 2))
      }),
    )
  })

  test('shows a folded value as one line with its size', () => {
    const folding = ['/tags', '/a~1b'].reduce((now, id) => toggled(now, id, false), UNFOLDED)
    expect(text(value, folding).split('\n')).toEqual([
      '{',
      '  "name": "a",',
      '  "tags": [ 2 ],',
      '  "empty": {},',
      '  "a/b": { 1 }',
      '}',
    ])
    expect(text(value, AS_GIVEN)).toBe('{ 4 }')
  })

  test('finds text in folded values, and unfolds only what is around it', () => {
    const roots = [jsonNode(value, { id: '', open: 1 })]
    const search = createSearch(outlineCandidates(roots, undefined), '"deep"')
    search.advance(1000)
    expect(search.places).toHaveLength(1)
    const folding = revealed(AS_GIVEN, search.places[0]!)
    const shown = outline(roots, folding)
    expect(rowsOf(roots, { folding })).toContain('"deep": [ 2 ]')
    expect(rowsOf(roots, { folding })).toContain('"a/b": { 1 }')
    const { entry } = shown.at(lineAt(shown, search.places[0]!)!)
    expect(entry.node.id).toBe('/tags/1/deep')
    expect(entry.node.copy?.()).toBe('[\n  1,\n  2\n]')
  })

  test('opens a long document only as deep as it stays short', () => {
    const long = { items: Array.from({ length: 2000 }, (_, id) => ({ id, more: [id] })) }
    const rows = (document: unknown) => rowsOf([jsonNode(document, { id: '', open: openDepth(document) })])
    expect(rows(long).length).toBeLessThan(510)
    expect(rows(value)).toHaveLength(16)
  })

  test('reads a very large value in groups, and handles deep nesting', () => {
    const many = Array.from({ length: 25_000 }, (_, index) => index)
    const roots = [jsonNode(many, { id: '', open: 1 })]
    const rows = rowsOf(roots)
    expect(rows).toHaveLength(27)
    expect(rows.slice(1, 3)).toEqual(['0 … 999', '1,000 … 1,999'])
    expect(rowsOf(roots, { folding: toggled(AS_GIVEN, '//1', true) })[3]).toBe('1000,')
    const deep: unknown = JSON.parse('['.repeat(20_000) + ']'.repeat(20_000))
    expect(rowsOf([jsonNode(deep, { id: '' })], { folding: UNFOLDED, width: 40 })).toHaveLength(39_999)
  })

  test('opens 50 MB of JSON by reading only the values shown, and unfolds a long text to its lines', () => {
    let asked = 0
    const big = { text: 'line of text\n'.repeat(4_000_000) }
    const watched = new Proxy(big, {
      get(target, key) {
        asked += 1
        return Reflect.get(target, key) as unknown
      },
    })
    const roots = [jsonNode(watched, { id: '', open: openDepth(watched) })]
    const rows = rowsOf(roots)
    expect(rows[1]).toMatch(/^"text": "line of text\\nline.+…" 52,000,000 characters$/)
    expect(asked).toBeLessThan(10)
    const shown = outline(roots, toggled(AS_GIVEN, '/text', true))
    expect(shown.count).toBe(4_000_004)
    const { entry, offset } = shown.at(3_000_000)
    expect(entry.lines.at(offset)).toBe('line of text')
  })
})
