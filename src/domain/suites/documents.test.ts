import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertionLabel } from './assertion-labels.ts'
import { caseEdit, normalCase, readCase, readCases, writeCases, type CaseForm } from './case-form.ts'
import { isSameJson } from '../json/same-json.ts'
import { readSuiteFile, suiteFileSchema, writeSuiteFile } from './suite-file.ts'
import { MAX_TEXT_BYTES, readText, readYaml } from '../../lib/yaml/yaml-reading.ts'

const plain = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
/** Texts that writers of YAML often get wrong. */
const awkward = fc.constantFrom(
  'yes',
  'null',
  '~',
  '1e3',
  '0x1f',
  '2024-01-01',
  '- a',
  'a: b',
  '# no comment',
  'tail ',
  ' head',
  '\ttab',
  'a\n\n b\n',
  '\n',
  '!!js/x y',
  '&a',
  '*a',
  '---',
  '...',
  '%d',
  '`',
  '@x',
  '"',
  "'",
  '{',
  '[',
  '|',
  '>',
  '\u0085',
  '\u2028',
  '\r\n',
  '#!! x',
  'x\n#!! y',
)
const text = fc.oneof(plain, awkward)
const open = fc.dictionary(text, fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })

/** Returns a value as read back from JSON, which has no -0. */
const asJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

const step = fc.oneof(
  fc.record({ id: text, kind: fc.constant('prompt' as const), prompt: text }),
  fc.record({ id: text, kind: fc.constant('toolCall' as const), serverName: text, toolName: text, arguments: open }),
  fc.record({ id: text, kind: fc.constant('assert' as const), assertion: open }),
)
const caseForm: fc.Arbitrary<CaseForm> = fc
  .record(
    {
      id: fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/),
      title: text,
      steps: fc.array(step, { minLength: 1, maxLength: 4 }),
      expectedOutput: text,
      iterations: fc.integer({ min: 1, max: 10 }),
      isNegative: fc.boolean(),
      scenario: text,
      models: fc.array(fc.record({ model: text, provider: text }, { requiredKeys: ['model'] }), { maxLength: 2 }),
      matchOptions: open,
      checks: fc.record(
        {
          mode: fc.constantFrom('inherit' as const, 'replace' as const, 'extend' as const),
          list: fc.array(open, { maxLength: 2 }),
        },
        { requiredKeys: [] },
      ),
    },
    { requiredKeys: ['title', 'steps'] },
  )
  .map(form => asJson(form))

describe('cases as YAML', () => {
  test('are read back unchanged, whatever their texts are', () => {
    fc.assert(
      fc.property(fc.array(caseForm, { minLength: 1, maxLength: 3 }), forms => {
        expect(readCases(writeCases(forms, ['About them.']))).toEqual({ ok: true, value: forms.map(normalCase) })
      }),
    )
  })

  test('are written as the same text again', () => {
    fc.assert(
      fc.property(caseForm, form => {
        const once = writeCases([form])
        const read = readCase(once)
        expect(read.ok && writeCases([read.value])).toBe(once)
      }),
    )
  })

  test('are read back from a whole file, with the suite', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(caseForm, { minLength: 1, maxLength: 3, selector: form => form.id ?? form }),
        cases => {
          const suite = { id: 'nightly', name: 'Nightly: #1', servers: ['a', 'b'], model: 'x/y' }
          const read = readSuiteFile(writeSuiteFile({ suite, cases }))
          expect(read.ok && read.value.file).toEqual({ suite, cases: cases.map(normalCase) })
        },
      ),
    )
  })

  test('have every field explained in comments', () => {
    const written = writeCases([{ title: 'T', steps: [{ id: 'a', kind: 'prompt', prompt: 'x' }] }])
    expect(written).toContain('# What the case is about')
    for (const field of ['id', 'expectedOutput', 'iterations', 'isNegative', 'scenario', 'models', 'checks'])
      expect(written).toContain(`#   ${field}: `)
  })
})

describe('the changes between a form and a case', () => {
  test('are empty between a case and itself, and otherwise contain only the difference', () => {
    fc.assert(
      fc.property(caseForm, caseForm, (from, to) => {
        expect(caseEdit(from, from)).toEqual({ edit: {}, changes: [] })
        const { edit } = caseEdit(from, to)
        const [before, after] = [normalCase(from), normalCase(to)]
        for (const name of ['title', 'steps', 'iterations', 'models', 'checks', 'matchOptions'] as const)
          expect(name in edit).toBe(!isSameJson(before[name], after[name]))
      }),
    )
  })

  test('clear the fields that a form leaves out, as the contract defines', () => {
    const steps = [{ id: 'a', kind: 'prompt' as const, prompt: 'x' }]
    const full: CaseForm = {
      title: 'T',
      steps,
      expectedOutput: 'e',
      iterations: 3,
      isNegative: true,
      scenario: 's',
      models: [{ model: 'a/b' }],
      matchOptions: { arguments: 'exact' },
      checks: { mode: 'extend', list: [] },
    }
    expect(caseEdit(full, { title: 'T', steps }).edit).toEqual({
      expectedOutput: '',
      iterations: 1,
      isNegative: false,
      scenario: '',
      models: [],
      matchOptions: null,
      checks: null,
    })
  })
})

describe('an invalid document', () => {
  const CASE = 'title: T\nsteps:\n  - id: a\n    kind: toolCall\n    toolName: echo\n'

  test.each([
    ['a field that is none', `${CASE}iteration: 2\n`, 6, 1, /no field "iteration".*Allowed here: .*iterations/],
    ['a number out of bounds', `${CASE}iterations: 30\n`, 6, 13, /at most 10, not 30/],
    ['another kind of value', `${CASE}isNegative: maybe\n`, 6, 13, /true or false, not "maybe"/],
    ['a kind that is none', CASE.replace('toolCall', 'call'), 4, 11, /"call".*prompt, toolCall, interact or assert/],
    ['something missing', 'title: T\n', 1, 1, /"steps" is missing/],
    ['an empty list', 'title: T\nsteps: []\n', 2, 8, /at least 1 entry/],
    ['an id that cannot be one', `${CASE}id: a b\n`, 6, 5, /"a b"; it has to match/],
    ['a name that is there twice', `${CASE}title: again\n`, 6, 1, /twice/],
    ['a tag', `${CASE}scenario: !!js/function "x"\n`, 6, 25, /tag .* is not taken/],
    ['a known tag', `${CASE}scenario: !!str x\n`, 6, 17, /tag .* is not taken/],
    ['a name that is no text', `${CASE}1: x\n`, 6, 1, /must be a text/],
    ['a number that JSON has not', `${CASE}matchOptions: { a: .inf }\n`, 6, 20, /none that JSON can hold/],
    ['a number that would be rounded', `${CASE}matchOptions: { a: 9007199254740993 }\n`, 6, 20, /too long/],
    ['a longer one', `${CASE}matchOptions: { a: 1234567890123456789012345 }\n`, 6, 20, /too long/],
    ['a block that holds itself', `${CASE}matchOptions: &m { a: *m }\n`, 6, 23, /holds itself/],
    ['what is no YAML', `${CASE}matchOptions: [\n`, 7, 1, /cannot be read as YAML/],
    ['tabs', `${CASE}matchOptions:\n\ta: 1\n`, 7, 1, /Tabs/],
  ])('is refused for %s, with the position and the allowed values', (_, source, line, column, message) => {
    const read = readCase(source)
    expect(read).toMatchObject({ ok: false })
    expect(!read.ok && read.problems).toContainEqual({
      line,
      column,
      message: expect.stringMatching(message) as string,
    })
  })

  test('that expands without limit is refused with the line where it starts', () => {
    const levels = Array.from({ length: 9 }, (_, at) =>
      at === 0
        ? 'a0: &a0 [x, x, x, x, x, x, x, x, x, x]'
        : `a${at}: &a${at} [${Array(10)
            .fill(`*a${at - 1}`)
            .join(', ')}]`,
    )
    expect(readYaml(levels.join('\n'))).toMatchObject({
      ok: false,
      problems: [{ line: 2, message: expect.stringMatching(/alias/i) as string }],
    })
  })

  test.each([
    ['brackets', '['.repeat(100_000)],
    ['dashes', '- '.repeat(100_000)],
    ['indentation', Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n')],
  ])('that is nested without limit (%s) is refused', (_, source) => {
    const read = readYaml(source)
    expect(read).toMatchObject({ ok: false, problems: [{ message: expect.stringMatching(/nested deeper/) as string }] })
  })

  test('of ten megabytes is refused with the line where it becomes too long', () => {
    const bytes = new TextEncoder().encode('title: x\n'.repeat(1_200_000))
    expect(readText(bytes)).toMatchObject({
      ok: false,
      problems: [{ line: Math.floor(MAX_TEXT_BYTES / 9) + 1, message: expect.stringContaining('4 MiB') as string }],
    })
  })

  test('in another encoding, or none, is refused at the line where that begins', () => {
    expect(readText(Uint8Array.from([0x61, 0x0a, 0x62, 0xff, 0x63]))).toEqual({
      ok: false,
      problems: [{ line: 2, column: 2, message: 'This is not UTF-8.' }],
    })
    expect(readText(Uint8Array.from([0x61, 0x0a, 0x00]))).toMatchObject({
      ok: false,
      problems: [{ line: 2, column: 1, message: expect.stringContaining('binary') as string }],
    })
    expect(readText(new TextEncoder().encode('ok \uFFFD'))).toEqual({ ok: true, value: 'ok \uFFFD' })
  })

  test('never causes a message with a control character', () => {
    const read = readCase(`${CASE}"a\\e[31m": 1\n`)
    expect(!read.ok && read.problems[0]?.message).not.toContain('\u001b')
  })

  test('either can be read or is refused', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(awkward).map(parts => parts.join('\n')),
        ),
        source => {
          expect(readSuiteFile(source)).toHaveProperty('ok')
          expect(readCases(source)).toHaveProperty('ok')
        },
      ),
    )
  })

  test('is refused if it contains a case id twice', () => {
    const file = `suite: { name: N }\ncases:\n  - { id: a, title: T, steps: [{ id: s, kind: prompt }] }\n  - { id: a, title: U, steps: [{ id: s, kind: prompt }] }\n`
    expect(readSuiteFile(file)).toEqual({
      ok: false,
      problems: [{ line: 4, column: 11, message: 'The case at line 3 has the id "a" already; ids are there once.' }],
    })
  })
})

test('the schema of files describes its fields', () => {
  const schema = JSON.stringify(suiteFileSchema())
  expect(schema).toContain('"enum":["prompt","toolCall","interact","assert"]')
  expect(schema).toContain('Trials of each run')
  expect(schema).toContain('the case is there once for each, with {{city}} filled in')
})

test('the schema of files accepts columns where the documentation writes them', () => {
  const docs = readFileSync(join(import.meta.dirname, '../../../docs/scripting.md'), 'utf8')
  const [, example = ''] = /### One case for many rows\n\n```yaml\n(.*?)```/s.exec(docs) ?? []
  const isFit = new Ajv2020({ strict: false }).compile(suiteFileSchema())
  for (const text of [
    example,
    example.replace('[smoke]', "'{{tags}}'"),
    example.replace('weather-{{code}}', 'plain'),
  ]) {
    const read = readYaml(`suite: { name: Weather, servers: [web] }\n${text}`)
    isFit(read.ok && read.value[0]?.value)
    expect(isFit.errors).toBeNull()
  }
  const wrong = readYaml(`suite: { name: Weather, servers: [web] }\n${example.replace('weather-{{code}}', 'no space')}`)
  expect(isFit(wrong.ok && wrong.value[0]?.value)).toBe(false)
})

test.each([
  [{ type: 'responseContains', needle: 'x' }, 'the answer contains "x"'],
  [
    { type: 'toolCalledWith', toolName: 't', args: { args: { a: 1 } }, minCount: 2 },
    't is called at least 2 times with {"a":1}',
  ],
  [{ type: 'noToolErrors' }, 'no tool answers an error'],
  [{ type: 'responseContains' }, '{"type":"responseContains"}'],
  [{ type: 'brandNew', x: 1 }, '{"type":"brandNew","x":1}'],
  [{ type: 'constructor' }, '{"type":"constructor"}'],
])('an assertion is described in words: %j', (assertion, words) => {
  expect(assertionLabel(assertion)).toBe(words)
})
