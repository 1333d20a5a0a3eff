import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { plainText } from '../../components/viewer/source.ts'
import { textOf } from './argument-field.ts'
import { argumentForm, draftOf, filledForm, parseArguments, shownFields, type ArgumentForm } from './arguments.ts'
import { schemaLines } from './schema-lines.ts'
import { measureWork } from '../../../test/work.ts'

const text = { type: 'string' }
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
})

const here = { $ref: '#' }

/** Returns each visible field: its label, its type, whether it is required, and the labels of its choices. */
function fieldsOf(form: ArgumentForm, texts = form.texts) {
  return shownFields(form, texts).map(
    ({ label, type, required, choices }) =>
      [label, type, ...(required ? ['required'] : []), ...(choices ? [choices.map(each => each.label)] : [])] as const,
  )
}

/** Returns the arguments sent with these texts in the fields with these labels. */
function sentOf(form: ArgumentForm, typed: Record<string, string>) {
  const texts = new Map(form.texts)
  // A choice may add fields.
  for (const [label, value] of Object.entries(typed)) {
    const field = shownFields(form, texts).find(each => each.label === label)
    if (!field) throw new Error(`there is no field ${label}`)
    texts.set(field.id, field.choices?.find(choice => choice.label === value)?.text ?? value)
  }
  const parsed = parseArguments(form, texts)
  return 'problems' in parsed ? { problems: Object.fromEntries(parsed.problems) } : parsed.value
}

describe('the form for a schema as pydantic, FastMCP and zod write it', () => {
  test('has the arguments of all parts of allOf', () => {
    const schema = {
      type: 'object',
      allOf: [object({ userId: { type: 'integer' } }, ['userId']), object({ title: text }, ['title'])],
    }
    const form = argumentForm(schema)
    expect(fieldsOf(form)).toEqual([
      ['userId', 'integer', 'required'],
      ['title', 'string', 'required'],
    ])
    expect(sentOf(form, { userId: '7', title: '12' })).toEqual({ userId: 7, title: '12' })
    expect(schemaLines(schema).map(plainText)).toEqual(['  userId  integer  required', '  title  string  required'])
  })

  test('offers the variants of a discriminated union, and then the fields of the variant', () => {
    const schema = {
      type: 'object',
      anyOf: [
        object({ kind: { const: 'mail' }, address: text }, ['kind', 'address']),
        object({ kind: { const: 'sms' }, phone: text }, ['kind', 'phone']),
      ],
    }
    const form = argumentForm(schema)
    const variant = ['variant', 'one of 2', 'required', ['kind: mail', 'kind: sms']]
    expect(fieldsOf(form)).toEqual([variant, ['address', 'string', 'required']])
    expect(sentOf(form, { address: 'a@b.example' })).toEqual({ kind: 'mail', address: 'a@b.example' })
    expect(sentOf(form, { variant: 'kind: sms', phone: '0123' })).toEqual({ kind: 'sms', phone: '0123' })
    expect(schemaLines(schema).map(plainText)).toEqual([
      '  either',
      '    kind  "mail"  required',
      '    address  string  required',
      '  or',
      '    kind  "sms"  required',
      '    phone  string  required',
    ])
  })

  test('describes references, nullable types and titled choices', () => {
    const color = { $ref: '#/$defs/Color' }
    const form = argumentForm({
      $defs: { Color: { type: 'string', enum: ['red', 'green'] }, Name: text },
      ...object(
        {
          color,
          name: { $ref: '#/$defs/Name' },
          zip: { anyOf: [text, { type: 'null' }] },
          maybe: { anyOf: [color, { type: 'null' }] },
          flag: { anyOf: [{ type: 'boolean' }, { type: 'null' }] },
          size: {
            oneOf: [
              { const: 's', title: 'Small' },
              { const: 'l', title: 'Large' },
            ],
          },
        },
        ['color'],
      ),
    })
    expect(fieldsOf(form)).toEqual([
      ['color', '"red" | "green"', 'required', ['red', 'green']],
      ['name', 'string'],
      ['zip', 'string | null'],
      ['maybe', '"red" | "green" | null', ['red', 'green', 'null']],
      ['flag', 'boolean | null', ['false', 'true', 'null']],
      ['size', '"s" (Small) | "l" (Large)', ['Small', 'Large']],
    ])
    expect(sentOf(form, { name: '12345', zip: '01234', maybe: 'null', flag: 'true', size: 'Large' })).toEqual({
      color: 'red',
      name: '12345',
      zip: '01234',
      maybe: null,
      flag: true,
      size: 'l',
    })
  })

  test('has fields for a nested object, and leaves the object out if none of them is given', () => {
    const point = object({ x: { type: 'number' }, y: { type: 'number', default: 0 } }, ['x'])
    const form = argumentForm(object({ from: point, to: point }, ['from']))
    expect(fieldsOf(form).map(([label]) => label)).toEqual(['from.x', 'from.y', 'to.x', 'to.y'])
    expect(sentOf(form, { 'from.x': '1' })).toEqual({ from: { x: 1, y: 0 } })
    expect(sentOf(form, { 'from.x': '1', 'to.y': '2' })).toEqual({ problems: { '/to/x': 'is required: number' } })
    const needed = shownFields(form, form.texts).map(({ label, requiredWith }) => [label, requiredWith])
    expect(needed).toEqual([
      ['from.x', undefined],
      ['from.y', undefined],
      ['to.x', 'to'],
      ['to.y', undefined],
    ])
  })

  test('sends null for a required nullable argument that is left empty', () => {
    const nullable = (schema: JsonObject) => ({ anyOf: [schema, { type: 'null' }] })
    const form = argumentForm(
      object({ name: nullable(text), at: nullable(object({ x: text }, ['x'])) }, ['name', 'at']),
    )
    expect(fieldsOf(form)).toEqual([
      ['name', 'string | null', 'required'],
      ['at', 'one of 2', 'required', ['with x', 'null']],
      ['at.x', 'string', 'required'],
    ])
    expect(sentOf(form, { at: 'null' })).toEqual({ name: null, at: null })
  })

  test('sends text for an argument that may be text, unless it is JSON of another allowed type', () => {
    const form = argumentForm(object({ x: { type: ['boolean', 'string'] }, y: { anyOf: [text, object({}), {}] } }))
    expect(sentOf(form, { x: '12', y: '12' })).toEqual({ x: '12', y: 12 })
    expect(sentOf(form, { x: 'true', y: '{}' })).toEqual({ x: true, y: {} })
    expect(sentOf(form, { x: '"true"', y: 'no JSON' })).toEqual({ x: 'true', y: 'no JSON' })
    // A default that cannot be displayed is shown as JSON.
    const escaped = argumentForm(object({ x: { ...text, default: 'a\u001b[2J' } }))
    expect(sentOf(escaped, { x: '12' })).toEqual({ x: '12' })
  })

  test('refuses JSON of the wrong type, even if the schema cannot be checked', () => {
    const pattern = { type: 'string', pattern: '(' }
    const list = { type: 'array', items: { type: 'object' } }
    const form = argumentForm(object({ n: { type: 'integer' }, list, pattern }))
    expect(sentOf(form, { n: '1.5', list: '{}' })).toEqual({
      problems: { '/n': 'must be integer', '/list': 'must be object[]' },
    })
    // In an editor the person continues from this text.
    const [n, objects] = shownFields(form, form.texts)
    expect(
      draftOf(
        form,
        new Map([
          [n!.id, 'x'],
          [objects!.id, '{"a":1}'],
        ]),
      ),
    ).toEqual({ n: 'x', list: { a: 1 } })
    expect(sentOf(form, { n: '90071992547409931', list: '[{}]' })).toEqual({ n: 90071992547409931n, list: [{}] })
  })

  test('leaves out an optional constant, unless the person selects it', () => {
    const prefer = { const: 'respond-async' }
    const form = argumentForm(object({ prefer, kind: { const: 'k' }, fast: { const: true, default: true } }, ['kind']))
    expect(sentOf(form, {})).toEqual({ kind: 'k', fast: true })
    expect(sentOf(form, { prefer: 'respond-async' })).toEqual({ kind: 'k', fast: true, prefer: 'respond-async' })
  })

  test('has a JSON field where a schema refers to itself', () => {
    const node = object({ value: text, next: { anyOf: [{ $ref: '#/$defs/Node' }, { type: 'null' }] } }, ['value'])
    const form = argumentForm({ $defs: { Node: node }, ...object({ list: { $ref: '#/$defs/Node' } }, ['list']) })
    const labels = fieldsOf(form).map(([label]) => label)
    expect(labels).toContain('list.value')
    expect(labels.length).toBeLessThan(10)
    const list = { value: 'a', next: { value: 'b', next: { value: 'c', next: { value: 'd', next: null } } } }
    const filled = filledForm(form, { list })
    expect(parseArguments(filled, filled.texts)).toEqual({ value: { list } })
  })

  test('stops at alternatives that only refer to their own schema', () => {
    const loop = { anyOf: [{ $ref: '#' }, { $ref: '#/$defs/a' }], $defs: { a: { allOf: [{ $ref: '#' }] } } }
    expect(fieldsOf(argumentForm(loop))).toHaveLength(1)
    const twice = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] })
    const levels = Array.from({ length: 40 }, (_, at) => [`d${at}`, at === 39 ? object({ x: text }) : twice(at + 1)])
    const doubled = { $defs: Object.fromEntries(levels) as JsonObject, ...twice(0) }
    expect(fieldsOf(argumentForm(doubled))).toEqual([['x', 'string']])
  })

  const refTo = (name: string) => ({ $ref: `#/$defs/${name}` })
  const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at))
  test.each<[string, JsonObject]>([
    ['a list of lists of itself', { ...object({ a: refTo('l') }), $defs: { l: { type: 'array', items: refTo('l') } } }],
    [
      'a tuple of thirty of itself',
      { ...object({ a: refTo('t') }), $defs: { t: { type: 'array', prefixItems: many(30, () => refTo('t')) } } },
    ],
    [
      'thirty kinds of lists of itself',
      { ...object({ a: refTo('u') }), $defs: { u: { anyOf: many(30, () => ({ type: 'array', items: refTo('u') })) } } },
    ],
    ['thirty variants with itself three times', { anyOf: many(30, () => object({ x: here, y: here, z: here })) }],
    ['three hundred properties that are itself', object(Object.fromEntries(many(300, at => [`p${at}`, here])))],
    [
      'twenty required ones',
      object(
        Object.fromEntries(many(20, at => [`p${at}`, here])),
        many(20, at => `p${at}`),
      ),
    ],
    [
      'a hundred thousand names beside as many conditions',
      { ...object(Object.fromEntries(many(100_000, at => [`p${at}`, text]))), allOf: many(100_000, () => 0) },
    ],
    [
      'two thousand constants that each require a hundred thousand names',
      {
        ...object(
          {},
          many(100_000, at => `p${at}`),
        ),
        anyOf: many(2000, at => ({ const: at })),
      },
    ],
    [
      'two thousand variants of two thousand variants',
      {
        anyOf: many(2000, at => ({ const: at, ...refTo('q') })),
        $defs: { q: object({ p: { anyOf: many(2000, at => ({ const: at, properties: {} })) } }) },
      },
    ],
    [
      'the same large definition five thousand times',
      {
        allOf: many(5000, () => refTo('a')),
        $defs: { a: object(Object.fromEntries(many(2000, at => [`p${at}`, text]))) },
      },
    ],
  ])('needs limited work for %s', (_, schema) => {
    const work = measureWork()
    const form = argumentForm(schema)
    schemaLines(schema)
    draftOf(form, form.texts)
    expect(work()).toBeLessThan(100)
  })

  test('offers all of many constants, and beyond the limits lets the person type', () => {
    const zones = many(50, at => ({ const: `zone ${at}` }))
    const [zone] = shownFields(argumentForm(object({ zone: { oneOf: zones } })), new Map())
    expect(zone?.choices).toHaveLength(50)
    const kinds = many(40, at => object({ [`p${at}`]: text }, [`p${at}`]))
    const [kind] = shownFields(argumentForm(object({ kind: { anyOf: kinds } })), new Map())
    expect(kind).toMatchObject({ kind: 'either', type: 'any' })
  })

  test('distinguishes a text from another choice that looks the same', () => {
    const [field] = shownFields(argumentForm(object({ a: { enum: ['null', null, 'b', '1', 1] } })), new Map())
    expect(field?.choices?.map(({ label }) => label)).toEqual(['"null"', 'null', 'b', '"1"', '1'])
  })
})

/** A schema and a value that it allows. Every object in the value has all required properties. */
type Sample = { schema: JsonObject; value: unknown }

const scalars: fc.Arbitrary<Sample> = fc.oneof(
  fc.string().map(value => ({ schema: text, value })),
  fc.integer().map(value => ({ schema: { type: 'integer' }, value })),
  fc.boolean().map(value => ({ schema: { type: 'boolean' }, value })),
  fc.constantFrom('red', 'green', '').map(value => ({ schema: { enum: ['red', 'green', ''] }, value })),
  fc.constantFrom('s', 3).map(value => ({ schema: { oneOf: [{ const: 's', title: 'Small' }, { const: 3 }] }, value })),
  fc.oneof(fc.string(), fc.constant(null)).map(value => ({ schema: { anyOf: [text, { type: 'null' }] }, value })),
  fc.oneof(fc.integer(), fc.constant(null)).map(value => ({ schema: { type: ['integer', 'null'] }, value })),
  fc.oneof(fc.string(), fc.integer()).map(value => ({ schema: { anyOf: [text, { type: 'integer' }] }, value })),
  fc.array(fc.string()).map(value => ({ schema: { type: 'array', items: text }, value })),
  fc
    .tuple(fc.string(), fc.boolean())
    .map(value => ({ schema: { type: 'array', prefixItems: [text, { type: 'boolean' }] }, value })),
)

/** Generates an object with some of its properties given. */
const objects = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc
    .dictionary(fc.stringMatching(/^[a-z/~.]{1,4}$/), fc.tuple(inner, fc.boolean(), fc.boolean()), {
      maxKeys: 4,
      minKeys: 1,
    })
    .map(made => {
      const all = Object.entries(made)
      const given = all.filter(([, [, isRequired, isGiven]]) => isRequired || isGiven)
      return {
        schema: object(
          Object.fromEntries(all.map(([name, [{ schema }]]) => [name, schema])),
          all.filter(([, [, isRequired]]) => isRequired).map(([name]) => name),
        ),
        value: Object.fromEntries(given.map(([name, [{ value }]]) => [name, value])),
      }
    })

const unions = (inner: fc.Arbitrary<Sample>): fc.Arbitrary<Sample> =>
  fc.tuple(objects(inner), objects(inner), fc.boolean()).map(([one, other, isFirst]) => {
    const variant = ({ schema, value }: Sample, kind: string): Sample => ({
      schema: {
        ...schema,
        properties: { ...(schema['properties'] as JsonObject), kind: { const: kind } },
        required: [...(schema['required'] as string[]), 'kind'],
      },
      value: { ...(value as JsonObject), kind },
    })
    const [a, b] = [variant(one, 'a'), variant(other, 'b')]
    return { schema: { oneOf: [a.schema, b.schema] }, value: isFirst ? a.value : b.value }
  })

const nested = objects(fc.oneof(scalars, objects(scalars), unions(scalars)))

test('a value that a schema allows is filled into the form, sent unchanged, and valid', () => {
  fc.assert(
    fc.property(fc.oneof(nested, unions(scalars)), ({ schema, value }) => {
      const form = filledForm(argumentForm(schema), value as JsonObject)
      expect(parseArguments(form, form.texts)).toEqual({ value })
      // An empty object cannot be told from a left-out one in fields, so one text holds everything then.
      expect(form.whole).toBe(form.whole && /\{\}/.test(JSON.stringify(value)))
      expect(new Ajv2020({ strict: false }).validate(schema, value)).toBe(true)
    }),
  )
})

test('a text typed into the field of a string is sent unchanged', () => {
  fc.assert(
    fc.property(nested, fc.oneof(fc.string({ minLength: 1 }), fc.constantFrom('12', 'null', 'true')), (made, typed) => {
      const form = argumentForm(made.schema)
      const shown = shownFields(form, form.texts)
      const texts = new Map(shown.map(field => [field.id, field.type === 'string' ? typed : textOf(field, form.texts)]))
      const parsed = parseArguments(form, texts)
      if ('problems' in parsed) return
      for (const { path, type } of shown) {
        if (type !== 'string') continue
        const at = path.reduce<unknown>((value, step) => (isPlainObject(value) ? value[step] : undefined), parsed.value)
        expect(at).toBe(typed)
      }
    }),
  )
})
