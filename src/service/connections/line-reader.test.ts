import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createLineReader } from './stdio-link.ts'

/** Passes bytes to a reader in pieces of the given sizes, which repeat until all bytes are read. */
function feed(bytes: Buffer, sizes: number[], limit: number): { lines: string[]; kept: boolean } {
  const lines: string[] = []
  const reader = createLineReader(limit, line => lines.push(line))
  let kept = true
  for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
    const size = sizes[turn % sizes.length] ?? 1
    kept = reader.push(bytes.subarray(at, at + size))
    at += size
  }
  return { lines, kept }
}

const anyLine = fc.string({ unit: 'grapheme', maxLength: 40 }).map(text => text.replaceAll('\n', ' '))
const sizes = fc.array(fc.integer({ min: 1, max: 64 }), { minLength: 1 })

test('lines are read unchanged, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.array(anyLine), sizes, (lines, cuts) => {
      const bytes = Buffer.from(lines.map(line => `${line}\n`).join(''))
      expect(feed(bytes, cuts, 1000)).toEqual({ lines, kept: true })
    }),
  )
})

test('a line over the limit ends the reading, even before its line break arrives, however the bytes are split', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 200 }), sizes, fc.boolean(), (limit, cuts, complete) => {
      const bytes = Buffer.from(
        `ok\n`.repeat(limit >= 2 ? 1 : 0) + 'x'.repeat(limit + 1) + (complete ? '\nlate\n' : ''),
      )
      const { lines, kept } = feed(bytes, cuts, limit)
      expect(kept).toBe(false)
      expect(lines).toEqual(limit >= 2 ? ['ok'] : [])
    }),
  )
})
