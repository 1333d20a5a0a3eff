import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { JsonObject } from '../../lib/json.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { anyCharacter } from '../../../test/any-character.ts'
import { trickyTexts } from '../../../test/schema-values.ts'
import { otherBlank, textOf, type FieldTexts } from './argument-field.ts'
import { argumentForm, filledForm, parseArguments, promptForm, shownFields, type ArgumentForm } from './arguments.ts'

const text = { type: 'string' }
const listOf = (items: JsonObject, more: JsonObject = {}): JsonObject => ({ type: 'array', items, ...more })
const object = (properties: JsonObject, required: readonly string[] = []): JsonObject => ({
  type: 'object',
  properties,
  required,
})
const nullable = (schema: JsonObject): JsonObject => ({ anyOf: [schema, { type: 'null' }] })

function fieldOf(form: ArgumentForm, label: string) {
  return shownFields(form, form.texts).find(field => field.label === label)!
}

function sent(form: ArgumentForm, texts: FieldTexts) {
  const parsed = parseArguments(form, texts)
  return 'problems' in parsed ? Object.fromEntries(parsed.problems) : parsed.value
}

/** Returns the arguments sent if this is typed into the only field. */
function typed(schema: JsonObject, what: string, required: readonly string[] = []) {
  const form = argumentForm(object({ x: schema }, required))
  return sent(form, new Map([['/x', what]]))
}

describe('a field for a list of plain items', () => {
  test('has a line for each item, of the type of its items', () => {
    expect(typed(listOf(text), 'two words, and a comma\n12\n\ntrue\n')).toEqual({
      x: ['two words, and a comma', '12', 'true'],
    })
    expect(typed(listOf({ type: 'integer' }), '1\n90071992547409931')).toEqual({ x: [1, 90071992547409931n] })
    expect(typed(listOf({ type: 'boolean' }), 'true\nfalse\ntrue')).toEqual({ x: [true, false, true] })
    expect(typed(listOf({ type: ['integer', 'string'] }), '1\nx\n"2"')).toEqual({ x: [1, 'x', '2'] })
    expect(typed(nullable(listOf(nullable(text))), 'null\nx')).toEqual({ x: ['null', 'x'] })
  })

  test('also accepts JSON, and names the type that its items must have', () => {
    expect(typed(listOf(text), '["a\\nb", ""]')).toEqual({ x: ['a\nb', ''] })
    expect(typed(listOf(text), '[\n  "a",\n  "b"\n]')).toEqual({ x: ['a', 'b'] })
    expect(typed(listOf(text), '[]')).toEqual({ x: [] })
    expect(typed(nullable(listOf(nullable(text))), '["a", null]')).toEqual({ x: ['a', null] })
    expect(typed(listOf(text), '[1]')).toEqual({ '/x': 'must be string[]' })
    expect(typed(listOf({ type: 'integer' }), '[1, 1.5]')).toEqual({ '/x': 'must be integer[]' })
    expect(typed(listOf({ type: 'number' }), '[1e400]')).toEqual({ '/x': expect.stringContaining('1e400') })
    // An unfinished JSON list is an error, not a text.
    expect(typed(listOf(text), '["a", "b"')).toEqual({ '/x': 'is not JSON for string[]' })
    expect(typed(listOf(text), '[draft] a title')).toEqual({ x: ['[draft] a title'] })
  })

  test('names the line that is not a valid item', () => {
    expect(typed(listOf({ type: 'integer' }), '1\n1.5')).toEqual({ '/x': 'line 2 must be integer' })
    expect(typed(listOf({ type: 'integer' }), '1, 2')).toEqual({ '/x': 'line 1 is not JSON for integer' })
    expect(typed(listOf({ type: 'number' }), '\n\nx')).toEqual({ '/x': 'line 3 is not JSON for number' })
  })

  test('offers named values as choices, even if they are not plain texts', () => {
    const form = argumentForm(object({ x: listOf({ enum: ['a', 'b\nc', '', 1, '1'] }) }))
    const { choices = [] } = fieldOf(form, 'x')
    expect(choices.map(({ label }) => label)).toEqual(['a', '"b\\nc"', '""', '1', '"1"'])
    const all = choices.map(choice => choice.text).join('\n')
    expect(sent(form, new Map([['/x', all]]))).toEqual({ x: ['a', 'b\nc', '', 1, '1'] })
    const lists = argumentForm(object({ x: listOf({ enum: ['[]', '["a"]'] }) }))
    expect(sent(lists, new Map([['/x', '[]']]))).toEqual({ x: ['[]'] })
  })

  test('sends an empty list if it is required and left empty, unless it may be null', () => {
    expect(typed(listOf(text), '', ['x'])).toEqual({ x: [] })
    expect(typed(nullable(listOf(text)), '', ['x'])).toEqual({ x: null })
    expect(typed(listOf(text), '\n')).toEqual({})
  })

  test('is prefilled with its default', () => {
    const form = argumentForm(
      object({ x: listOf(text, { default: ['a', 'b c'] }), y: listOf(text, { default: [''] }) }),
    )
    expect(shownFields(form, form.texts).map(({ initial }) => initial)).toEqual(['a\nb c', '[""]'])
    // A default that is not such a list is not converted into one.
    const kinds = { enum: ['a', 'b'] }
    const wrong = object({ x: listOf(text, { default: 'a' }), y: listOf(kinds, { default: ['c'] }) })
    expect(shownFields(argumentForm(wrong), new Map()).map(({ initial }) => initial)).toEqual(['', ''])
    const chosen = argumentForm(object({ x: listOf(kinds, { default: ['b', 'a'] }) }))
    expect(sent(chosen, chosen.texts)).toEqual({ x: ['b', 'a'] })
  })

  test('can be filled with any texts, and sends them unchanged', () => {
    const items = fc.array(fc.oneof(trickyTexts, fc.string(), fc.string({ unit: anyCharacter })))
    fc.assert(
      fc.property(items, fc.boolean(), fc.boolean(), (x, isRequired, isNullable) => {
        const schema = isNullable ? nullable(listOf(text)) : listOf(text)
        const filled = filledForm(argumentForm(object({ x: schema }, isRequired ? ['x'] : [])), { x })
        expect(filled.whole).toBe(false)
        expect(sent(filled, filled.texts)).toEqual({ x })
        const shown = textOf(fieldOf(filled, 'x'), filled.texts)
        expect(clean(shown.replaceAll('\n', ''))).toBe(shown.replaceAll('\n', ''))
      }),
    )
  })

  test('sends lines as texts unless they begin a JSON list', () => {
    const line = fc.string({ unit: anyCharacter, minLength: 1 }).filter(each => !/\n|^\s*\[/.test(each))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), lines => {
        expect(typed(listOf(text), lines.join('\n'))).toEqual({ x: lines })
        expect(typed(listOf(text), jsonText(lines, 2))).toEqual({ x: lines.map(each => each.toWellFormed()) })
      }),
    )
  })
})

describe('a field that is left empty', () => {
  /** Returns the arguments sent after each press of the key that changes the meaning of an empty field. */
  function pressed(form: ArgumentForm, label: string) {
    const field = fieldOf(form, label)
    let texts: FieldTexts = form.texts
    const seen: unknown[] = []
    for (let press = 0; press < Math.max(1, field.blanks.length); press += 1) {
      seen.push(sent(form, texts))
      const next = otherBlank(field, texts)
      if (next !== undefined) texts = new Map(texts).set(field.id, next)
    }
    return seen
  }

  test('is left out, or sent as an empty text or list, or as null, as far as the schema allows', () => {
    const of = (schema: JsonObject, required: readonly string[] = []) =>
      pressed(argumentForm(object({ x: schema }, required)), 'x')
    expect(of(text)).toEqual([{}, { x: '' }])
    expect(of(text, ['x'])).toEqual([{ x: '' }])
    expect(of(nullable(text))).toEqual([{}, { x: '' }, { x: null }])
    expect(of(nullable(text), ['x'])).toEqual([{ x: null }, { x: '' }])
    expect(of({ type: 'integer' })).toEqual([{}])
    expect(of(nullable({ type: 'integer' }))).toEqual([{}, { x: null }])
    expect(of(nullable({ type: 'integer' }), ['x'])).toEqual([{ x: null }])
    expect(of({ type: 'integer' }, ['x'])).toEqual([{ '/x': 'is required: integer' }])
    expect(of({ type: ['integer', 'string'] })).toEqual([{}, { x: '' }])
    expect(of({})).toEqual([{}, { x: '' }, { x: null }])
    expect(of(nullable(listOf(text)))).toEqual([{}, { x: [] }, { x: null }])
    expect(of(listOf({ enum: ['a', 'b'] }))).toEqual([{}, { x: [] }])
    expect(of({ enum: ['a', 'b'] })).toEqual([{}])
    expect(pressed(promptForm([{ name: 'x' }]), 'x')).toEqual([{}, { x: '' }])
  })

  test('counts as filled if its object is optional', () => {
    const form = argumentForm(object({ at: object({ x: text, y: text }, ['x']) }))
    const field = fieldOf(form, 'at.y')
    expect(sent(form, new Map([[field.id, otherBlank(field, new Map())!]]))).toEqual({ at: { x: '', y: '' } })
    // A required property is left out with its object at first.
    const needed = fieldOf(form, 'at.x')
    const empty = new Map([[needed.id, otherBlank(needed, new Map())!]])
    expect(sent(form, empty)).toEqual({ at: { x: '' } })
    expect(sent(form, new Map([[needed.id, otherBlank(needed, empty)!]]))).toEqual({})
    expect(filledForm(form, { at: { x: '' } }).whole).toBe(false)
  })

  test('is filled with what was sent before', () => {
    const schema = object({ a: text, b: nullable(text), c: nullable({ type: 'integer' }), d: listOf(text), e: text })
    const before = { a: '', b: null, c: null, d: [] }
    const filled = filledForm(argumentForm(schema), before)
    expect(filled.whole).toBe(false)
    expect(sent(filled, filled.texts)).toEqual(before)
  })

  test('has no other meaning while something is typed', () => {
    const form = argumentForm(object({ x: text }))
    expect(otherBlank(fieldOf(form, 'x'), new Map([['/x', 'typed']]))).toBeUndefined()
  })
})
