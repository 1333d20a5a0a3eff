import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readFields, requestedFields } from './requested-form.ts'

const form = (properties: Record<string, unknown>, required: string[] = []) =>
  requestedFields({ type: 'object', properties, required })
const filled = (fields: ReturnType<typeof form>, texts: Record<string, string> = {}) =>
  readFields(fields, name =>
    Object.hasOwn(texts, name) ? texts[name]! : fields.find(each => each.name === name)!.initial,
  )

test('every kind of field is read as the type that it asks for', () => {
  const fields = form({
    name: { type: 'string' },
    mail: { type: 'string', format: 'email' },
    day: { type: 'string', format: 'date' },
    many: { type: 'integer' },
    much: { type: 'number' },
    sure: { type: 'boolean' },
    pet: { type: 'string', oneOf: [{ const: 'c', title: 'Cat' }] },
    fish: { type: 'array', items: { type: 'string', enum: ['tuna', 'cod'] } },
    hero: { type: 'string', enum: ['h'], enumNames: ['Hero'] },
  })
  const texts = { name: 'A', mail: 'a@b.example', day: '2026-01-31', many: '3', much: '1.5', sure: 'false' }
  expect(filled(fields, { ...texts, pet: 'c', fish: 'tuna\ncod', hero: 'h' })).toEqual({
    content: { ...texts, many: 3, much: 1.5, sure: false, pet: 'c', fish: ['tuna', 'cod'], hero: 'h' },
  })
  expect(filled(fields, { ...texts, mail: 'b', day: '2026-02-31', many: '1.5', much: 'x' })).toEqual({
    faults: {
      mail: 'is not a valid email',
      day: 'is not a valid date',
      many: 'is not a whole number',
      much: 'is not a number',
    },
  })
  expect(fields.map(({ input }) => ('options' in input ? input.options.map(({ label }) => label) : []))).toContainEqual(
    ['left out', 'Cat'],
  )
})

test('a number that would lose precision is not sent', () => {
  const fields = form({ many: { type: 'integer' } })
  const many = 'is too long to be stored exactly; quote it if it is text'
  expect(filled(fields, { many: '9007199254740993' })).toEqual({ faults: { many } })
})

test('optional fields are left out, required ones are not made up, and defaults are filled in', () => {
  const properties = { a: { type: 'string' }, b: { type: 'boolean' }, c: { type: 'integer', default: 4 } }
  expect(filled(form(properties))).toEqual({ content: { c: 4 } })
  expect(filled(form(properties, ['a', 'b']))).toEqual({
    faults: { a: 'This field is required.', b: 'This field is required.' },
  })
})

test('an empty text or list is sent only if the person selects it', () => {
  const fish = { type: 'array', items: { type: 'string', enum: ['tuna', 'cod'] } }
  const fields = form({ a: { type: 'string' }, b: { type: 'string' }, fish, many: { type: 'integer' } }, ['a'])
  expect(fields.map(({ blank }) => blank?.value)).toEqual(['', '', [], undefined])
  expect(readFields(fields, name => fields.find(each => each.name === name)?.blank ?? '')).toEqual({
    content: { a: '', b: '', fish: [] },
  })
  expect(form({ fish }, ['fish'])[0]!.blank).toBeUndefined()
})

test('more fields than a form can show become one JSON text', () => {
  const names = Array.from({ length: 41 }, (_, at) => [`p${at}`, { type: 'string' }])
  const fields = form(Object.fromEntries(names) as Record<string, unknown>)
  expect(fields).toHaveLength(1)
  expect(filled(fields, { content: '{"p0":"a"}' })).toEqual({ content: { p0: 'a' } })
  expect(filled(fields, { content: '[1]' })).toEqual({ faults: { content: 'must be a JSON object, such as {}' } })
})

test('no schema breaks the form, and each field is checked separately', () => {
  const property = fc.oneof(
    fc.jsonValue(),
    fc.record({
      type: fc.constantFrom('string', 'array', 'boolean', 'integer', 4),
      enum: fc.jsonValue(),
      oneOf: fc.jsonValue(),
      items: fc.jsonValue(),
      default: fc.jsonValue(),
      title: fc.jsonValue(),
    }),
  )
  const name = fc.oneof(fc.string(), fc.constantFrom('__proto__', 'content', 'toString'))
  fc.assert(
    fc.property(fc.dictionary(name, property), fc.jsonValue(), (properties, required) => {
      const fields = requestedFields({ properties, required })
      const read = filled(fields)
      const names = new Set(fields.map(each => each.name))
      const found = 'content' in read ? read.content : read.faults
      for (const each of Object.keys(found)) expect(names).toContain(each)
    }),
  )
})
