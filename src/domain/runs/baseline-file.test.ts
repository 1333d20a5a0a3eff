import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defined } from '../../lib/json.ts'
import { keyText, sortedLines, type BaselineLine } from './baseline.ts'
import { readBaseline, writeBaseline } from './baseline-file.ts'

const HEADER = '{"format":"mcpdeck-baseline","version":1}\n'
const name = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom('', ' ', '"', '\\', 'a,b', 'one\ntwo', '\r\n', '\u2028', '\uD800', '__proto__', '<<<<<<<', '\uFEFF'),
)
const count = fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined })
const optional = fc.option(name, { nil: undefined })
const line = fc
  .record({
    suite: name,
    case: name,
    id: optional,
    environment: optional,
    client: optional,
    model: optional,
    provider: optional,
    verdict: fc.constantFrom('passed', 'failed'),
    passed: count,
    trials: count,
    quarantine: fc.option(
      fc.record({ since: fc.constant('2026-01-31'), reason: name, failures: fc.array(name, { minLength: 1 }) }),
      { nil: undefined },
    ),
  })
  .map(fields => defined(fields) as BaselineLine)
const lines = fc.uniqueArray(line, { maxLength: 12, selector: keyText })

test('every name is read back unchanged, with one line for each result, always in the same order', () => {
  fc.assert(
    fc.property(lines, fc.infiniteStream(fc.nat()), (all, numbers) => {
      const text = writeBaseline(all)
      expect(readBaseline(text)).toEqual({ ok: true, value: sortedLines(all) })
      expect(text.split('\n')).toHaveLength(all.length + 2)
      const shuffled = all
        .map(each => [numbers.next().value as number, each] as const)
        .toSorted(([one], [other]) => one - other)
        .map(([, each]) => each)
      expect(writeBaseline(shuffled)).toBe(text)
      // An editor or git may change line ends.
      expect(readBaseline(text.replaceAll('\n', '\r\n'))).toEqual(readBaseline(text))
    }),
    { numRuns: 100 },
  )
})

test('a line inserted into a baseline makes it invalid or is read, but hides no result', () => {
  fc.assert(
    fc.property(lines, fc.string({ maxLength: 30 }), fc.nat(20), (all, words, place) => {
      fc.pre(!/[\r\n]/.test(words) && words.trim() !== '')
      const written = writeBaseline(all).split('\n')
      written.splice(place % written.length, 0, words)
      const read = readBaseline(written.join('\n'))
      if (!read.ok) return
      // A JSON string alone is not a result, so all other results must remain.
      expect(read.value).toHaveLength(all.length + 1)
    }),
  )
})

const ONE = '{"suite":"Smoke","case":"a","verdict":"passed"}'
test.each([
  ['', 1, /does not begin with {"format"/],
  ['suite: Smoke\n', 1, /does not begin with/],
  ['{"format":"mcpdeck-baseline","version":3}\n', 1, /has version 3; a newer mcpdeck wrote it/],
  ['{"format":"mcpdeck-baseline","version":0}\n', 1, /does not begin with/],
  [`${HEADER}${ONE}\n<<<<<<< HEAD\n`, 3, /not JSON/],
  [`${HEADER}${ONE.replace('passed', 'crashed')}\n`, 2, /verdict/],
  [`${HEADER}{"suite":"Smoke","verdict":"passed"}\n`, 2, /case/],
  [`${HEADER}${ONE.replace('}', ',"note":"x"}')}\n`, 2, /note/],
  [`${HEADER}${ONE.replace('}', ',"quarantine":{"since":"today","reason":"","failures":["x"]}}')}\n`, 2, /since/],
  [`${HEADER}[]\n`, 2, /no result/],
  [`${HEADER}${ONE}\n\n${ONE.replace('passed', 'failed')}\n`, 4, /Line 2 is of the same case/],
])('the baseline %j is refused with its line', (text, at, message) => {
  const read = readBaseline(text)
  expect(read).toEqual({ ok: false, problems: [{ line: at, column: 1, message: expect.stringMatching(message) }] })
})

test('only a baseline with a quarantine has the version that older programs refuse', () => {
  const line = { suite: 'Smoke', case: 'a', verdict: 'passed' } as const
  const quarantine = { since: '2026-01-31', reason: 'slow network', failures: ['timed_out'] }
  expect(writeBaseline([line])).toContain('"version":1}')
  expect(writeBaseline([line, { ...line, case: 'b', quarantine }])).toContain('"version":2}')
})
