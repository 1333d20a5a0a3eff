import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { checkArguments, checkSchema } from '../../domain/servers/arguments-check.ts'
import { skeleton } from '../../domain/suites/skeleton.ts'
import {
  argumentForm,
  asksNothing,
  filledForm,
  parseArguments,
  promptForm,
  shownFields,
  type ArgumentForm,
} from './arguments.ts'
import type { JsonObject } from '../../lib/json.ts'
import { anyCharacter } from '../../../test/any-character.ts'
import { measureWork } from '../../../test/work.ts'

const sum = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  type: 'object',
  properties: { note: { type: 'string' }, a: { type: 'number' }, on: { type: 'boolean', default: false } },
  required: ['a'],
}

function fieldsOf(form: ArgumentForm) {
  return shownFields(form, form.texts)
}

/** Returns the result of these texts in the visible fields. */
function typed(form: ArgumentForm, texts: readonly string[]) {
  const parsed = parseArguments(form, new Map(fieldsOf(form).map(({ id }, at) => [id, texts[at] ?? ''])))
  return 'problems' in parsed ? { problems: Object.fromEntries(parsed.problems) } : parsed
}

async function faults(schema: JsonObject, value: JsonObject) {
  const verdict = await checkArguments(schema, value)
  return 'faults' in verdict ? verdict.faults : verdict.unusable
}

describe('the form of an input schema', () => {
  test('has a field per property, required ones first, defaults filled in', () => {
    const form = argumentForm(sum)
    expect(form.whole).toBe(false)
    expect(fieldsOf(form).map(field => [field.label, field.kind, field.required, field.initial])).toEqual([
      ['a', 'json', true, ''],
      ['note', 'text', false, ''],
      ['on', 'json', false, 'false'],
    ])
  })

  test('has no fields for a tool without arguments, and takes JSON if the schema describes none', () => {
    expect(asksNothing(argumentForm({ type: 'object', properties: {} }))).toBe(true)
    expect(asksNothing(argumentForm({ type: 'object', additionalProperties: false }))).toBe(true)
    for (const open of [{ type: 'object' }, { type: 'object', properties: {}, additionalProperties: true }]) {
      expect(argumentForm(open).whole).toBe(true)
      expect(fieldsOf(argumentForm(open))).toMatchObject([{ initial: '{}' }])
    }
    expect(argumentForm(undefined).whole).toBe(true)
  })

  test('starts arguments without fields from a JSON skeleton', () => {
    const form = argumentForm({ ...sum, dependentSchemas: { note: { required: ['on'] } } })
    expect(fieldsOf(form)[0]?.initial).toBe('{"a":0,"on":false}')
  })

  test('starts a required choice at its first value and a required list at its skeleton', () => {
    const form = argumentForm({
      type: 'object',
      properties: {
        kind: { enum: ['x', 'y'] },
        at: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'integer' }] },
      },
      required: ['kind', 'at'],
    })
    expect(fieldsOf(form).map(field => [field.kind, field.type, field.initial])).toEqual([
      ['text', '"x" | "y"', 'x'],
      ['json', '[string, integer]', '["",0]'],
    ])
  })

  test('offers switches and short lists of texts as choices, whatever they contain', () => {
    const form = argumentForm({
      type: 'object',
      properties: {
        on: { type: 'boolean' },
        evil: { type: 'string', enum: ['a', 'b\u001b[2J'], default: 'b\u001b[2J' },
        maybe: { enum: ['x', 'y'] },
        empty: { enum: ['', 'y'] },
        mixed: { enum: ['x', 1] },
      },
      required: ['on'],
    })
    const texts = ({ choices }: { choices?: readonly { text: string }[] }) => choices?.map(({ text }) => text)
    expect(fieldsOf(form).map(field => [field.label, field.kind, field.initial, texts(field)])).toEqual([
      ['on', 'json', '', ['false', 'true']],
      ['evil', 'text', 'b\u001b[2J', ['a', 'b\u001b[2J']],
      ['maybe', 'text', '', ['x', 'y']],
      ['empty', 'json', '', ['""', '"y"']],
      ['mixed', 'json', '', ['"x"', '1']],
    ])
    expect(typed(form, ['true', 'a', '', '""', '1'])).toEqual({ value: { on: true, evil: 'a', empty: '', mixed: 1 } })
  })

  test('never puts control characters of a default into a field, and keeps the value', () => {
    const form = argumentForm({ type: 'object', properties: { x: { type: 'string', default: 'a\u001b[2J\u202eé' } } })
    const text = fieldsOf(form)[0]?.initial ?? ''
    expect(clean(text)).toBe(text)
    expect(typed(form, [text])).toEqual({ value: { x: 'a\u001b[2J\u202eé' } })
  })

  test('is a finite skeleton for any nesting', () => {
    let schema: JsonObject = { type: 'string' }
    for (let depth = 0; depth < 2_000; depth += 1)
      schema = { type: 'object', properties: { x: schema }, required: ['x'] }
    expect(JSON.stringify(skeleton(schema, 0)).length).toBeLessThan(200)
  })

  test('shows the value as JSON without terminal sequences in the editor', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: anyCharacter }), (value, text) => {
        const whole = [value, text.toWellFormed()]
        const json = jsonText(whole)
        expect(clean(json)).toBe(json)
        expect(JSON.parse(json)).toEqual(JSON.parse(JSON.stringify(whole)))
      }),
    )
  })
})

describe('typed arguments', () => {
  test('are literal texts or JSON by type, and empty optional ones are left out', () => {
    const form = argumentForm(sum)
    expect(typed(form, ['12', '34', ''])).toEqual({ value: { a: 12, note: '34' } })
    expect(typed(form, ['12', '', 'true'])).toEqual({ value: { a: 12, on: true } })
  })

  test('name the fields that cannot be read', () => {
    expect(typed(argumentForm(sum), ['', 'x', 'yes'])).toEqual({
      problems: { '/a': 'is required: number', '/on': 'is not JSON for boolean' },
    })
  })

  test('report a number that would lose precision, instead of sending it', () => {
    const form = argumentForm({ properties: { id: { type: 'integer' }, any: {} } })
    expect(typed(form, ['1', '{"a": [1e400]}'])).toEqual({
      problems: { '/any': 'the number 1e400 is none that JSON can hold; quote it if it is text' },
    })
    const parsed = typed(form, ['9007199254740993', '"9007199254740993"'])
    expect(JSON.stringify(parsed)).toBe('{"value":{"id":9007199254740993,"any":"9007199254740993"}}')
  })

  test('may have awkward names like any other', () => {
    const properties = JSON.parse('{"__proto__":{"type":"string"},"constructor":{"type":"string"}}') as JsonObject
    const parsed = typed(argumentForm({ type: 'object', properties }), ['a', 'b'])
    expect(JSON.stringify(parsed)).toBe('{"value":{"__proto__":"a","constructor":"b"}}')
  })

  test('that are typed as one text must be an object', () => {
    const form = argumentForm({ type: 'object' })
    expect(typed(form, ['[1]'])).toEqual({ problems: { '': 'must be a JSON object, such as {}' } })
    expect(typed(form, ['{"a":[1]}'])).toEqual({ value: { a: [1] } })
  })

  test('of a prompt are texts, and a required one is sent even if it is empty', () => {
    const form = promptForm([{ name: 'city', required: true }, { name: 'state' }])
    expect(typed(form, ['', ''])).toEqual({ value: { city: '' } })
  })
})

describe('the check before sending', () => {
  test('reports wrong types and missing arguments by name, also under draft-07', async () => {
    expect(await faults(sum, { a: 1 })).toEqual([])
    expect(await faults(sum, { note: 3 })).toEqual([
      { name: 'a', message: 'is required', isMissing: true },
      { name: 'note', message: 'must be string' },
    ])
  })

  test('reports invalid choices, errors in nested values, and unknown arguments', async () => {
    const schema = {
      type: 'object',
      properties: { k: { enum: ['x', 'y'] }, o: { type: 'object', properties: { 'n/m': { type: 'integer' } } } },
      additionalProperties: false,
    }
    expect(await faults(schema, { k: 'z', o: { 'n/m': 1.5 }, q: 1 })).toEqual([
      { name: 'q', message: 'is not an argument of this tool' },
      { name: 'k', message: 'must be one of "x", "y"' },
      { name: 'o', message: 'n/m must be integer', inner: { path: ['o', 'n/m'], says: 'must be integer' } },
    ])
  })

  test('compiles a definition that is referred to a thousand times only once', async () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `p${at}`)
    const large = { type: 'object', properties: Object.fromEntries(names.map(name => [name, { type: 'string' }])) }
    const properties = Object.fromEntries(names.map(name => [name, { $ref: '#/$defs/large' }]))
    const work = measureWork()
    const check = await checkSchema({ type: 'object', $defs: { large }, properties }, 60_000)
    const compiling = work()
    expect(check).toEqual({ usable: true })
    expect(compiling).toBeLessThan(140)
  })

  test('reports a schema that cannot be compiled, without throwing', async () => {
    expect(await faults({ type: 'nonsense' }, {})).toMatch(/type/)
    expect(await faults({ $ref: 'https://example.com/elsewhere.json' }, {})).toMatch(/reference/)
    expect(await faults({ properties: { a: { type: 'string', pattern: '(' } } }, { a: '' })).toMatch(
      /regular expression/i,
    )
    expect(await checkSchema(null)).toEqual({ unusable: 'the server gave none' })
    expect(await faults({ description: 'x'.repeat(400_000) }, {})).toBe('it is too large')
  })

  const evil = '^(a+)+$'
  const poison = `${'a'.repeat(40)}!`
  const patterns = Object.fromEntries(
    Array.from({ length: 600 }, (_, at) => [`p${at}`, { type: 'string', pattern: `${evil}|${at}` }]),
  )
  const twice = (at: number) => ({ allOf: [{ $ref: `#/$defs/d${at}` }, { $ref: `#/$defs/d${at}` }] })
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`d${at}`, at === 39 ? { type: 'object' } : twice(at + 1)]),
  )
  let deep: unknown = 1
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep]

  test.each<[string, JsonObject, JsonObject]>([
    ['a pattern without end', { properties: { a: { type: 'string', pattern: evil } } }, { a: poison }],
    [
      'six hundred of them',
      { properties: patterns },
      Object.fromEntries(Object.keys(patterns).map(name => [name, poison])),
    ],
    ['forty definitions, each twice the next', { $defs: doubling, ...twice(0) }, {}],
    ['a pattern of property names', { patternProperties: { [evil]: true } }, { [poison]: 1 }],
    ['a schema without bottom', { const: deep }, {}],
  ])('delays no key for %s, and reports it as not checked', async (_, schema, value) => {
    await checkSchema({ type: 'object' })
    let longest = 0
    let turned = performance.eventLoopUtilization()
    const counting = setInterval(() => {
      longest = Math.max(longest, performance.eventLoopUtilization(turned).active)
      turned = performance.eventLoopUtilization()
    }, 10)
    const verdict = await checkArguments(schema, value, 500)
    clearInterval(counting)
    expect(verdict).toMatchObject({ isLimit: true })
    expect(longest).toBeLessThan(500)
    // The next check has a thread that answers.
    expect(await faults({ properties: { a: { pattern: evil } } }, { a: 'b' })).toEqual([
      { name: 'a', message: `must match pattern "${evil}"` },
    ])
  })

  test('keeps two schemas with the same $id apart', async () => {
    expect(await faults({ $id: 'x', type: 'object' }, {})).toEqual([])
    expect(await faults({ $id: 'x', required: ['a'] }, {})).toEqual([
      { name: 'a', message: 'is required', isMissing: true },
    ])
  })
})

test('a form that is filled with what was sent results in the same arguments', () => {
  const schema = {
    type: 'object',
    properties: {
      text: { type: 'string', default: 'given' },
      count: { type: 'number', default: 3 },
      flag: { type: 'boolean' },
      one: { enum: ['a', 'b'] },
      any: {},
    },
    required: ['text'],
  }
  const values = fc.dictionary(
    fc.oneof(fc.constantFrom('text', 'count', 'flag', 'one', 'any'), fc.string()),
    fc.oneof(fc.jsonValue(), fc.constantFrom('a', 'b', '3', 'true', '\u001b[2J', 'two\nlines', '')),
  )
  fc.assert(
    fc.property(values, sent => {
      const form = filledForm(argumentForm(schema), sent)
      const parsed = parseArguments(form, form.texts)
      // Whole numbers beyond 2^53 are read as bigints, which are the same JSON.
      expect(JSON.parse(JSON.stringify(parsed))).toEqual({ value: JSON.parse(JSON.stringify(sent)) })
    }),
  )
})
