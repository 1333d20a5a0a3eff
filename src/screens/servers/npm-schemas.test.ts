import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSchemas, type ToolSchema } from '../../../scripts/npm-servers/schemas.ts'
import { pointed, trickyTexts, valuesOf } from '../../../test/schema-values.ts'
import { isSameJson } from '../../domain/json/same-json.ts'
import { checkArguments } from '../../domain/servers/arguments-check.ts'
import { plainlyFits } from '../../lib/json-schema/plainly-fits.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { readField, textOf, type ArgumentField } from './argument-field.ts'
import { argumentForm, filledForm, parseArguments, shownFields, type ArgumentForm } from './arguments.ts'

// These tests read schemas with their own code, since the code of the form is under test.

const tools = readSchemas()

/** Names the tool at the beginning of a failure. */
const nameOf = ({ server, tool }: ToolSchema): string => `${server} ${tool}`

/** Returns a function that checks a value; undefined if the schema is invalid. */
function validatorOf({ schema: { $schema, ...schema } }: ToolSchema): ((value: unknown) => boolean) | undefined {
  const options = { strict: false, validateFormats: false, logger: false } as const
  try {
    return (String($schema).includes('draft-07') ? new Ajv(options) : new Ajv2020(options)).compile(schema)
  } catch {
    return undefined
  }
}

/** Returns the fields of a form, including those of each of its variants. */
function allFields(form: ArgumentForm): ArgumentField[] {
  const found = new Map<string, ArgumentField>()
  const waiting = [form.texts]
  for (let texts = waiting.pop(); texts; texts = waiting.pop())
    for (const field of shownFields(form, texts)) {
      if (!found.has(field.id) && isVariants(field))
        for (const { text } of field.choices ?? []) waiting.push(new Map(texts).set(field.id, text))
      found.set(field.id, field)
    }
  return [...found.values()]
}

function isVariants({ type }: ArgumentField): boolean {
  return type.startsWith('one of ')
}

/** Whether the label of a variant states the value of this property, which then has no field. */
function isInLabel(name: string | undefined, value: string, fields: readonly ArgumentField[]): boolean {
  const labels = fields.filter(isVariants).flatMap(({ choices = [] }) => choices.map(({ label }) => label))
  return labels.some(label => `, ${label}`.includes(`, ${name}: ${value}`))
}

function isWithin(path: readonly string[], { path: inner }: ArgumentField): boolean {
  return inner.length > path.length && path.every((step, at) => inner[at] === step)
}

function fieldsAt(path: readonly string[], fields: readonly ArgumentField[]): ArgumentField[] {
  return fields.filter(field => field.path.length === path.length && field.path.every((step, at) => path[at] === step))
}

test('there are over 300 different schemas of published servers, as docs/workbench.md says', () => {
  expect(new Set(tools.map(({ schema }) => JSON.stringify(schema))).size).toBe(tools.length)
  expect(tools.length).toBeGreaterThan(300)
  const servers = new Set(tools.map(({ server }) => server)).size
  const document = readFileSync(new URL('../../../docs/workbench.md', import.meta.url), 'utf8')
  expect(document).toContain(` ${tools.length} input schemas of ${servers} servers,`)
})

test('all arguments are one JSON text only if a schema names none', () => {
  const whole = tools.filter(({ schema }) => argumentForm(schema).whole)
  expect(whole.map(nameOf)).toEqual(['@modelcontextprotocol/server-gitlab create_or_update_file'])
  expect(whole.every(({ schema }) => Object.keys(schema).every(keyword => keyword === '$schema'))).toBe(true)
})

/** A property as its schema describes it; `isRequired` if its object is given. */
type Said = { name: string; part: JsonObject; isRequired: boolean }

/** Yields a schema and the schemas of its references and alternatives. */
function* saidOf(part: unknown, root: JsonObject, depth = 0): Generator<JsonObject> {
  if (!isPlainObject(part) || depth > 10) return
  yield part
  const { $ref, allOf = [], anyOf = [], oneOf = [] } = part as Record<string, unknown[] | undefined>
  if (typeof $ref === 'string') yield* saidOf(pointed($ref, root), root, depth + 1)
  for (const inner of [allOf, anyOf, oneOf].flat()) yield* saidOf(inner, root, depth + 1)
}

function propertiesOf(part: JsonObject, root: JsonObject): Said[] {
  const { required: common = [] } = part
  return [...saidOf(part, root)].flatMap(({ properties = {}, required = [] }) =>
    Object.entries(properties as JsonObject).map(([name, inner]) => ({
      name,
      part: isPlainObject(inner) ? inner : {},
      isRequired: [common, required].flat().includes(name),
    })),
  )
}

/** Returns the words that the type of a field must contain. */
function typeWords(part: JsonObject, root: JsonObject): string[] {
  const { allOf } = part
  // The type of an allOf is what all its parts allow, which in these schemas is the type of the last part.
  if (Array.isArray(allOf)) return typeWords(allOf.at(-1) as JsonObject, root)
  return [...saidOf(part, root)].flatMap(({ type, enum: listed, const: only, items }) => {
    if (Array.isArray(listed)) return listed.slice(0, 20).map(value => JSON.stringify(value))
    if (only !== undefined) return [JSON.stringify(only)]
    if (type === 'array') return [...(isPlainObject(items) ? typeWords(items, root) : []), '[]']
    return [type ?? []].flat().map(String)
  })
}

/** Yields the faults of the fields of one property and of its nested properties. */
function* lacksOf({ name, part, isRequired }: Said, path: string[], known: Known): Generator<string> {
  const { fields, root } = known
  const here = [...path, name]
  const place = here.join('.')
  const own = fieldsAt(here, fields)
  const inner = fields.filter(field => isWithin(here, field))
  const parts = [...saidOf(part, root)]
  const only = parts.map(each => each['const']).find(each => each !== undefined)
  if (typeof only === 'string' && isInLabel(name, only, fields)) return
  if (own.length === 0 && inner.length === 0) {
    yield `${place} has no field`
    return
  }
  if (own.length > 0 && !own.some(field => field.required === isRequired)) yield `${place} is not as required as it is`
  if (inner.length > 0) {
    for (const said of propertiesOf(part, root)) yield* lacksOf(said, here, known)
    return
  }
  yield* wordsLacking(part, own, root, place)
}

/** Yields the words of type and choices that a field lacks; there may be a field for each variant. */
function* wordsLacking(
  part: JsonObject,
  own: readonly ArgumentField[],
  root: JsonObject,
  place: string,
): Generator<string> {
  const says = own.map(({ type }) => type)
  for (const word of typeWords(part, root))
    if (!says.some(type => type.includes(word))) yield `${place} does not say ${word}: ${says[0]}`
  const { type, enum: listed, const: only } = part
  const isScalar = ['string', 'number', 'integer'].includes(String(type))
  if (isScalar && listed === undefined && only === undefined && !says.includes(String(type)))
    yield `${place} is ${says[0]}`
  const choices = type === 'boolean' ? [false, true] : Array.isArray(listed) ? (listed as unknown[]) : []
  for (const choice of choices) {
    const label = typeof choice === 'string' && choice !== '' ? choice : JSON.stringify(choice)
    if (!own.some(field => field.choices?.some(each => each.label === label))) yield `${place} lacks choice ${label}`
  }
}

type Known = { fields: readonly ArgumentField[]; root: JsonObject }

test('each argument has a field in some variant, with its type, its choices, and whether it is required', () => {
  const lacks = tools.flatMap(tool => {
    const root = tool.schema
    const form = argumentForm(root)
    if (form.whole) return []
    const known = { fields: allFields(form), root }
    const found = propertiesOf(root, root).flatMap(said => [...lacksOf(said, [], known)])
    return found.map(lack => `${nameOf(tool)}: ${lack}`)
  })
  expect(lacks).toEqual([])
})

/**
 * Yields the reasons why a value cannot be filled into fields, at the places that have fields: names that the schema
 * allows without naming them; texts that a field cannot hold unchanged; and objects that look the same in fields as
 * left-out ones.
 */
function* reasonsOf(value: unknown, path: string[], known: Known): Generator<string> {
  const inner = known.fields.filter(field => isWithin(path, field))
  const own = fieldsAt(path, known.fields).filter(field => !isVariants(field))
  if (inner.length > 0 && isPlainObject(value)) {
    const names = Object.keys(value)
    if (names.length === 0 && path.length > 0) yield 'an empty object'
    for (const name of names) yield* reasonsOf(value[name], [...path, name], known)
  } else if (inner.length > 0 && value === null) yield 'null of an object'
  else if (own.length === 0) {
    if (!isInLabel(path.at(-1), '', known.fields)) yield 'a name that the schema does not have'
  } else if (own.some(field => field.kind !== 'json' && field.type.includes('string'))) {
    if (typeof value === 'string' && /[\p{Cc}\p{Cf}]/u.test(value.replaceAll('\n', ''))) yield 'a control character'
  }
}

const byServer = Object.entries(Object.groupBy(tools, ({ server }) => server))

describe.each(byServer)('the forms of %s', (_, own = []) => {
  test('take what the schemas allow, and return it unchanged', () => {
    for (const tool of own) {
      const isValid = validatorOf(tool) ?? (() => true)
      const form = argumentForm(tool.schema)
      const known = { fields: allFields(form), root: tool.schema }
      const property = fc.property(valuesOf(tool.schema, tool.schema), made => {
        fc.pre(isPlainObject(made) && isValid(made))
        const value = made
        const filled = filledForm(form, value)
        const back = parseArguments(filled, filled.texts)
        expect('value' in back && isSameJson(back.value, value), nameOf(tool)).toBe(true)
        if (!filled.whole || form.whole) return
        expect([...reasonsOf(value, [], known)], `${nameOf(tool)} ${JSON.stringify(value)}`).not.toEqual([])
      })
      fc.assert(property, { numRuns: 12 })
    }
  })

  test('turn typed text into values of the declared types, or report an error', async () => {
    for (const tool of own) {
      const isValid = validatorOf(tool)
      const form = argumentForm(tool.schema)
      await fc.assert(
        fc.asyncProperty(typedInto(form), async texts => {
          const parsed = parseArguments(form, texts)
          if ('problems' in parsed || form.whole) return
          for (const field of shownFields(form, texts)) {
            const value = valueAt(parsed.value, field.path)
            const wrong = `${nameOf(tool)} ${field.label} ${field.type}: ${JSON.stringify(value)}`
            if (value === undefined || isVariants(field)) continue
            expect(isOfWords(value, field.type), wrong).toBe(true)
            if (field.type === 'string') expect(value, wrong).toBe(textOf(field, texts))
          }
          if (!isValid) return
          const isFit = isValid(JSON.parse(JSON.stringify(parsed.value)))
          if (plainlyFits(tool.schema, JSON.parse(JSON.stringify(parsed.value)) as JsonObject)) expect(isFit).toBe(true)
          if (isFit) return
          const verdict = await checkArguments(tool.schema, parsed.value)
          expect('faults' in verdict && verdict.faults.length > 0, nameOf(tool)).toBe(true)
        }),
        { numRuns: 8 },
      )
    }
  })
})

test('a list of texts, numbers, switches or choices is typed or selected item by item', () => {
  const lists = tools.flatMap(tool =>
    allFields(argumentForm(tool.schema)).flatMap(field => {
      const { type, items = {} } = field.schema
      const isPlain = ['string', 'number', 'integer', 'boolean'].includes(String(Object(items).type))
      return type === 'array' && isPlain ? [{ tool, field }] : []
    }),
  )
  for (const { tool, field } of lists) {
    const property = fc.property(valuesOf(field.schema, tool.schema), list => {
      const texts = (list as unknown[]).map(item => (typeof item === 'string' ? item : JSON.stringify(item)))
      // A line break separates items, and an empty line is not an item; a text that may be JSON is written as JSON.
      fc.pre(texts.length > 0 && texts.every(text => /^[^[\n][^\n]*$/.test(text)))
      expect(readField(field, new Map([[field.id, texts.join('\n')]]), false), nameOf(tool)).toEqual({ value: list })
    })
    fc.assert(property, { numRuns: 8 })
  }
  expect(lists.length).toBeGreaterThan(100)
})

const typedTexts = fc.oneof(
  trickyTexts,
  fc.string(),
  fc.jsonValue({ maxDepth: 2 }).map(value => JSON.stringify(value)),
)

/** Generates texts for all fields of a form: one of the choices if a field has them. */
function typedInto(form: ArgumentForm): fc.Arbitrary<Map<string, string>> {
  const fields = allFields(form).map(field => {
    const texts = field.choices ? fc.constantFrom('', ...field.choices.map(({ text }) => text)) : typedTexts
    return texts.map(text => [field.id, text] as const)
  })
  return fc.tuple(...fields).map(entries => new Map(entries))
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce((part, step) => (isPlainObject(part) && Object.hasOwn(part, step) ? part[step] : undefined), value)
}

/** Whether a value is of one of the types that the words of a field name; words for values are ignored. */
function isOfWords(value: unknown, words: string): boolean {
  return !/^[a-z[\] |]+$/.test(words) || words.split(' | ').some(word => isOfWord(value, word))
}

function isOfWord(value: unknown, word: string): boolean {
  switch (word) {
    case 'string':
    case 'boolean':
      return typeof value === word
    case 'number':
      return ['number', 'bigint'].includes(typeof value)
    case 'integer':
      return typeof value === 'bigint' || Number.isInteger(value)
    case 'object':
      return isPlainObject(value)
    case 'null':
      return value === null
    default:
      return word === 'any' || (word.endsWith('[]') && Array.isArray(value))
  }
}
