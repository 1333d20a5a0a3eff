import fc from 'fast-check'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, test } from 'vitest'
import { schemaChanges } from './changes.ts'
import { growthOfWork } from '../../../test/work.ts'

type JsonObject = Record<string, unknown>
const object = (properties: JsonObject, required: string[] = [], more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
})
const MARKS = { safe: '', unknown: ' ?', breaking: ' !' }
const changesOf = (before: unknown, after: unknown): string[] =>
  schemaChanges(before, after).map(({ pointer, path, says, input }) => `${pointer} ${path} ${says}${MARKS[input]}`)

const NO_KEYS = { requiredKeys: [] as [] }

describe('the changes between two schemas', () => {
  test('take work that grows linearly with the number of changed choices', () => {
    const choices = (count: number, prefix: string) => ({ enum: Array.from({ length: count }, (_, at) => prefix + at) })
    const growth = growthOfWork(5000, count => {
      expect(changesOf(choices(count, 'a'), choices(count, 'b'))[0]).toContain('may no longer be "a0"')
    })
    // Ten times the choices take about ten times the work, and a hundred times if each is compared with every other.
    expect(growth).toBeLessThan(50)
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
        '/additionalProperties  refuses further properties now ?',
      ],
    ],
    [
      'a keyword that nobody here knows',
      { anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'number' }] },
      ['/anyOf  changed its anyOf ?'],
    ],
    [
      'what may be null now, as generators write it',
      object({ a: { type: 'string', title: 'A' } }),
      object({ a: { anyOf: [{ type: 'string' }, { type: 'null' }], title: 'A' } }),
      ['/properties/a/anyOf a may now be something else too'],
    ],
    [
      'one more alternative',
      { anyOf: [{ type: 'string' }] },
      { anyOf: [{ type: 'null' }, { type: 'string' }] },
      ['/anyOf  changed its anyOf'],
    ],
    [
      'what is left out means something else',
      object({ a: { default: 1 } }),
      object({ a: { default: 2 } }),
      ['/properties/a/default a has default 2 (was 1) ?'],
    ],
    [
      'a wider definition that is used the other way round',
      { not: { $ref: '#/$defs/a' }, $defs: { a: { type: 'integer' } } },
      { not: { $ref: '#/$defs/a' }, $defs: { a: { type: 'number' } } },
      ['/$defs/a/type (a) is now number (was integer) ?'],
    ],
    [
      'keywords with nothing in them that could be compared',
      { properties: 5 },
      { properties: 6 },
      ['/properties  changed its properties ?'],
    ],
    [
      'wider limits',
      object({ a: { minLength: 2, maximum: 5, multipleOf: 4, uniqueItems: true } }),
      object({ a: { minLength: 1, maximum: 6, multipleOf: 2 } }),
      [
        '/properties/a/minLength a has minLength 1 (was 2)',
        '/properties/a/maximum a has maximum 6 (was 5)',
        '/properties/a/multipleOf a has multipleOf 2 (was 4)',
        '/properties/a/uniqueItems a has uniqueItems none (was true)',
      ],
    ],
  ])('are right for %s', (_what, before, after, expected) => expect(changesOf(before, after)).toEqual(expected))

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

  /** Returns a schema with its parts in another order. */
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

  test('are empty for a schema and itself in another order', () => {
    fc.assert(
      fc.property(schema, one => {
        expect(schemaChanges(one, reordered(one))).toEqual([])
      }),
    )
  })

  test('are empty only for equal schemas, and swap added and removed when the schemas are swapped', () => {
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
        // An empty list of required names means the same as none.
        if (!bare(one) && !bare(other)) expect(there.length === 0).toBe(isSame)
        const count = (changes: typeof there, kind: string) => changes.filter(each => each.kind === kind).length
        expect(count(there, 'added')).toBe(count(back, 'removed'))
        expect(count(there, 'removed')).toBe(count(back, 'added'))
        expect(count(there, 'required')).toBe(count(back, 'optional'))
      }),
    )
  })

  test('are limited in number for any schema of a server', () => {
    fc.assert(fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => void schemaChanges(one, other)))
    const wide = (type: string) =>
      object(Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`p${index}`, { type }])))
    expect(schemaChanges(wide('string'), wide('number'))).toHaveLength(100)
  })

  const scalar = fc.oneof(
    fc.record({ type: fc.constantFrom<unknown>('string', 'integer', 'number', ['string', 'null']) }),
    fc.record({ type: fc.constantFrom('number', 'integer'), minimum: fc.nat(3), maximum: fc.nat(6) }, NO_KEYS),
    fc.record({ type: fc.constant('string'), minLength: fc.nat(2), maxLength: fc.nat(3) }, NO_KEYS),
    fc.record({ enum: fc.uniqueArray(fc.constantFrom<unknown>('', 'ab', 1, null), { minLength: 1 }) }),
    fc.record({ const: fc.constantFrom<unknown>('ab', 1) }),
    fc.record({ multipleOf: fc.constantFrom(1, 2, 4), exclusiveMinimum: fc.nat(3) }, NO_KEYS),
  )
  const part = fc.oneof(
    { weight: 4, arbitrary: scalar },
    fc.record({ anyOf: fc.array(scalar, { minLength: 1, maxLength: 2 }) }),
    fc.record({ allOf: fc.array(scalar, { minLength: 1, maxLength: 2 }) }),
    fc.record({ not: scalar }),
    fc.record({ type: fc.constant('array'), items: scalar, minItems: fc.nat(1), uniqueItems: fc.boolean() }, NO_KEYS),
    fc.constantFrom<unknown>({ $ref: '#/$defs/d' }, { not: { $ref: '#/$defs/d' } }, true, false, {}),
  )
  const keys = fc.constantFrom('a', 'b')
  const whole = fc
    .record({
      properties: fc.dictionary(keys, part, { maxKeys: 2 }),
      required: fc.uniqueArray(keys, { maxLength: 2 }),
      definition: scalar,
      further: fc.constantFrom<unknown>(undefined, undefined, true, false, { type: 'string' }),
    })
    .map(({ properties, required, definition, further }): JsonObject => ({
      ...object(properties, required),
      $defs: { d: definition },
      ...(further !== undefined && { additionalProperties: further }),
    }))
  const scalarValue = fc.constantFrom<unknown>('', 'ab', 'abcd', 0, 1, 2.5, 4, 8, null)
  const value = fc.dictionary(
    fc.constantFrom('a', 'b', 'c'),
    fc.oneof(scalarValue, fc.array(scalarValue, { maxLength: 2 })),
  )
  const ajv = new Ajv2020({ strict: false, logger: false })
  const fits = (one: JsonObject, given: unknown): boolean => ajv.compile(one)(given)
  const isDeclared = ({ properties, additionalProperties }: JsonObject, given: JsonObject): boolean =>
    typeof additionalProperties === 'object' ||
    Object.keys(given).every(name => Object.hasOwn(properties as object, name))
  const near = fc
    .tuple(whole, keys, part, fc.constantFrom('properties', 'required', '$defs'))
    .map(([one, name, changed, keyword]): [JsonObject, JsonObject] => [
      one,
      keyword === 'required'
        ? { ...one, required: [] }
        : { ...one, [keyword]: { ...(one[keyword] as object), [keyword === '$defs' ? 'd' : name]: changed } },
    ])
  const pairs = fc.oneof(
    near,
    near.map(([one, other]): [JsonObject, JsonObject] => [other, one]),
    fc.tuple(whole, whole),
  )

  test('are never called safe if a sent value may no longer be valid, or a received one was not valid before', () => {
    fc.assert(
      fc.property(pairs, fc.array(value, { minLength: 5, maxLength: 12 }), ([before, after], values) => {
        // References that contain themselves give no verdict.
        if ([before, after].some(({ $defs }) => JSON.stringify($defs).includes('$ref'))) return
        const changes = schemaChanges(before, after)
        for (const given of values) {
          if (changes.every(({ input }) => input === 'safe') && isDeclared(before, given) && fits(before, given))
            expect(fits(after, given)).toBe(true)
          if (changes.every(({ output }) => output === 'safe') && fits(after, given))
            expect(fits(before, given)).toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })
})
