import { readFileSync, statSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { groupedCases, groupLabel, parentOf, rerunLabel } from './comparison-groups.ts'
import { schemaChanges } from '../../lib/json-schema/changes.ts'
import { changesBehind, changeLabel, toolChanges, toolsSeenIn } from './comparison-tools.ts'
import { storedAt } from '../../../test/stored-file.ts'
import { createRerunLinks, rerunsKey } from './rerun-links.ts'

type JsonObject = Record<string, unknown>
const object = (properties: JsonObject, required: string[] = [], more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const told = (before: unknown, after: unknown): string[] =>
  schemaChanges(before, after).map(
    ({ pointer, path, says, breaks }) => `${pointer} ${path} ${says}${breaks ? ' !' : ''}`,
  )

describe('what changed between two schemas', () => {
  test('fifty thousand choices that all changed are compared with little work', () => {
    const choices = (prefix: string) => ({ enum: Array.from({ length: 50_000 }, (_, at) => `${prefix}${at}`) })
    const before = process.cpuUsage()
    expect(told(choices('a'), choices('b'))[0]).toContain('may no longer be "a0"')
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1000).toBeLessThan(5000)
  })

  test.each<[string, unknown, unknown, string[]]>([
    [
      'a type',
      object({ a: { type: 'number' } }),
      object({ a: { type: 'string' } }),
      ['/properties/a/type a is now string (was number) !'],
    ],
    [
      'a wider type breaks nothing',
      object({ a: { type: 'integer' } }),
      object({ a: { type: ['number', 'null'] } }),
      ['/properties/a/type a is now number | null (was integer)'],
    ],
    [
      'properties that came and went',
      object({ a: {}, b: {} }, ['a']),
      object({ a: {}, c: {}, d: {} }, ['a', 'c']),
      ['/properties/b b is gone !', '/properties/c c is new and required !', '/properties/d d is new and optional'],
    ],
    [
      'what is required',
      object({ a: {}, b: {} }, ['a']),
      object({ a: {}, b: {} }, ['b']),
      ['/required a is now optional', '/required b is now required !'],
    ],
    [
      'choices',
      object({ unit: { enum: ['m', 'km'] } }),
      object({ unit: { enum: ['km', 'mi'] } }),
      ['/properties/unit/enum unit may no longer be "m", may now be "mi" !'],
    ],
    [
      'what is deep inside, with slashes in its name',
      object({ filter: object({ 'a/b': { type: 'array', items: { type: 'string' } } }) }),
      object({ filter: object({ 'a/b': { type: 'array', items: { type: 'number' } } }) }),
      ['/properties/filter/properties/a~1b/items/type filter.a/b[] is now number (was string) !'],
    ],
    [
      'limits, words and what is closed',
      object({ a: { minimum: 1, description: 'one' } }),
      object({ a: { minimum: 2, description: 'two' } }, [], { additionalProperties: false }),
      [
        '/properties/a/minimum a has minimum 2 (was 1) !',
        '/properties/a/description a has another description',
        '/additionalProperties  refuses further properties now !',
      ],
    ],
    [
      'a keyword that nobody here knows',
      { anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'number' }] },
      ['/anyOf  changed its anyOf !'],
    ],
  ])('%s', (_what, before, after, expected) => expect(told(before, after)).toEqual(expected))

  const names = fc.constantFrom('a', 'b', 'c', 'x/y', '~', '__proto__', '')
  const schema = fc.letrec(tie => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record({ type: fc.constantFrom('string', 'number', 'boolean'), minimum: fc.nat(3) }, { requiredKeys: [] }),
      fc.record({ enum: fc.uniqueArray(fc.constantFrom('p', 'q', 1, null), { minLength: 1 }) }),
      fc.record({ type: fc.constant('array'), items: tie('schema') }),
      fc
        .tuple(
          fc.uniqueArray(fc.tuple(names, tie('schema')), { selector: ([name]) => name, maxLength: 4 }),
          fc.boolean(),
        )
        .map(([entries, demands]) => object(Object.fromEntries(entries), demands ? entries.map(([name]) => name) : [])),
    ),
  })).schema

  /** The same schema written otherwise. */
  const reordered = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reordered)
    if (typeof value !== 'object' || value === null) return value
    const entries = Object.entries(value).toReversed()
    return Object.fromEntries(
      entries.map(([key, inner]) => [
        key,
        ['required', 'enum'].includes(key) && Array.isArray(inner) ? inner.toReversed() : reordered(inner),
      ]),
    )
  }

  test('is nothing for a schema and itself, however it is written', () => {
    fc.assert(
      fc.property(schema, one => {
        expect(schemaChanges(one, reordered(one))).toEqual([])
      }),
    )
  })

  test('is something exactly where one says other than the other, and what came one way goes the other', () => {
    const meaning = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(meaning)
        : typeof value === 'object' && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .toSorted(([one], [other]) => (one < other ? -1 : 1))
                .map(([key, inner]) => [
                  key,
                  Array.isArray(inner) ? inner.map(item => JSON.stringify(item)).toSorted() : meaning(inner),
                ]),
            )
          : value
    fc.assert(
      fc.property(schema, schema, (one, other) => {
        const there = schemaChanges(one, other)
        const back = schemaChanges(other, one)
        const isSame = JSON.stringify(meaning(one)) === JSON.stringify(meaning(other))
        const bare = (value: unknown): boolean => JSON.stringify(meaning(value)).includes('"required":[]')
        // A list of required names that is empty says no more than none.
        if (!bare(one) && !bare(other)) expect(there.length === 0).toBe(isSame)
        const count = (changes: typeof there, kind: string) => changes.filter(each => each.kind === kind).length
        expect(count(there, 'added')).toBe(count(back, 'removed'))
        expect(count(there, 'removed')).toBe(count(back, 'added'))
        expect(count(there, 'required')).toBe(count(back, 'optional'))
      }),
    )
  })

  test('is bounded, whatever a server sends', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => void schemaChanges(one, other)))
    const wide = (type: string) =>
      object(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type }])))
    expect(schemaChanges(wide('string'), wide('number'))).toHaveLength(100)
  })
})

describe('what changed between two looks at tools', () => {
  const listing = (tools: JsonObject[]) => [{ serverName: 'everything', tools: tools as { name: string }[] }]
  const sum = (type: string) => ({ name: 'get-sum', inputSchema: object({ a: { type } }) })

  test('names each kind, and nothing of a server that was seen once', () => {
    const before = listing([
      sum('number'),
      { name: 'old' },
      { name: 'says', description: 'one' },
      { name: 'gives', outputSchema: object({ x: {} }) },
      { name: 'big', omitted: true, hash: '1' },
      { name: 'same', omitted: true, hash: '1' },
    ])
    const after = listing([
      sum('string'),
      { name: 'says', description: 'two' },
      { name: 'gives', outputSchema: object({}) },
      { name: 'big', omitted: true, hash: '2' },
      { name: 'same', omitted: true, hash: '1' },
      { name: 'fresh' },
    ])
    expect(toolChanges(before, after).map(change => changeLabel(change))).toEqual([
      'the schema of get-sum changed: `a` is now string (was number)',
      'the tool old is gone',
      'the description of says changed',
      'the output schema of gives changed: `x` is gone',
      'big is too large to be stored, so its change is unknown',
      'the tool fresh is new',
    ])
    expect(toolChanges(before, [{ serverName: 'other', tools: [] }])).toEqual([])
  })

  test('is told with the failing cases that use the tool, what may break calls first', () => {
    const calls = (toolName: string) => ({ expectedToolCalls: [], actualToolCalls: [{ toolName }] })
    const trials = ['one', 'two', 'two'].map((title, index) => ({ id: `${index}`, title, ...calls('get-sum') }))
    const other = { id: 'other', title: 'other', ...calls('says') }
    const before = listing([{ name: 'says', description: 'one' }, sum('number')])
    const after = listing([{ name: 'says', description: 'two' }, sum('string')])
    expect(changesBehind(toolChanges(before, after), [...trials, other]).map(({ says }) => says)).toEqual([
      'everything: the schema of get-sum changed: `a` is now string (was number) (2 cases)',
      'everything: the description of says changed (1 case)',
    ])
    expect(changesBehind(toolChanges(before, after), [])).toEqual([])
  })

  test('is read from a trace only where that says what was seen', () => {
    expect(toolsSeenIn({ toolsSeen: [{ serverName: 's', hash: 'h', tools: [{ name: 'a', x: 1 }, 5] }] })).toEqual([
      { serverName: 's', hash: 'h', tools: [{ name: 'a' }] },
    ])
    for (const trace of [undefined, null, 5, {}, { toolsSeen: [] }, { toolsSeen: [{ tools: [] }] }])
      expect(toolsSeenIn(trace)).toBeUndefined()
    fc.assert(fc.property(fc.jsonValue(), value => void toolsSeenIn({ toolsSeen: value })))
  })
})

describe('cases of two runs', () => {
  const compared = (rows: [title: string, status: string, before: string, after: string, trials?: string[]][]) =>
    ({
      cases: rows.map(([title, status, base, compare, iterationIds = []]) => ({
        caseKey: title,
        title,
        status,
        base: { outcome: base, iterationIds: [] },
        compare: { outcome: compare, iterationIds },
      })),
    }) as unknown as EvalRunCompare
  const trials = [
    { id: 'p', result: 'passed' as const },
    { id: 'f', result: 'failed' as const },
  ]

  test('stand in groups, what deserves a look first, and a rerun is counted in cases', () => {
    const cases = groupedCases(
      compared([
        ['same', 'unchanged_passed', 'passed', 'passed'],
        ['wobbles', 'unchanged_passed', 'passed', 'passed', ['p', 'f']],
        ['mended', 'fixed', 'failed', 'passed'],
        ['left out', 'removed_case', 'passed', 'absent'],
        ['broke', 'regressed', 'passed', 'failed'],
        ['still', 'unchanged_failed', 'failed', 'failed'],
        ['added', 'new_case', 'absent', 'failed'],
        ['edited', 'changed', 'failed', 'passed'],
      ]),
      trials,
    )
    expect(cases.map(({ title, group }) => [title, group])).toEqual([
      ['broke', 'regressed'],
      ['still', 'still failing'],
      ['added', 'new'],
      ['mended', 'fixed'],
      ['edited', 'changed'],
      ['wobbles', 'flaky'],
      ['left out', 'removed'],
      ['same', 'unchanged'],
    ])
    expect(groupLabel(cases.slice(3), true)).toBe('1 fixed, 1 changed, 1 flaky, 1 not run again, 1 unchanged')
    expect(rerunLabel(cases)).toBe(
      'Of 7 cases that ran again: 1 fixed, 1 still failing, 2 failing for the first time, 3 passing; 1 flaky.',
    )
  })

  test('a run tells its parent, or nobody knows', () => {
    expect([parentOf({ rerunOf: 'r' }), parentOf({ rerunOf: 5 }), parentOf({})]).toEqual(['r', undefined, undefined])
  })
})

describe('links of reruns to their parents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-links-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const faults: unknown[] = []
  const open = (file: string) => createRerunLinks(storedAt(file, rerunsKey, error => faults.push(error)))

  test('are there for the next start and for another process, within a bound, for their owner only', () => {
    const file = join(folder, 'state', 'reruns.json')
    const [one, other] = [open(file), open(file)]
    expect(one.parentOf('r2')).toBeUndefined()
    one.remember('r2', 'r1')
    other.remember('r4', 'r3')
    one.remember('r6', 'r5')
    expect(['r2', 'r4', 'r6'].map(id => open(file).parentOf(id))).toEqual(['r1', 'r3', 'r5'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (let made = 0; made < 510; made += 1) one.remember(`n${made}`, 'p')
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { links: unknown[] }
    expect([kept.links.length, open(file).parentOf('r2'), open(file).parentOf('n509')]).toEqual([500, undefined, 'p'])
  })

  test('a file that is broken is as if nothing was launched', () => {
    const file = join(folder, 'broken.json')
    for (const text of ['{', '[]', '{"version":1,"links":[["a"],5,["b",5]]}']) {
      writeFileSync(file, text)
      expect(open(file).parentOf('a')).toBeUndefined()
    }
    open(join(file, 'below')).remember('a', 'b')
    expect(faults).toHaveLength(1)
  })
})
