import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertionNames, assertions, type AssertionName } from '../../api/contract/assertions.ts'
import { documentFaults, plainDocuments, serversOf, type CaseFault, type KnownTools } from './case-faults.ts'

const known: KnownTools = new Map([
  [
    'everything',
    new Map<string, unknown>([
      ['echo', { type: 'object', properties: { message: { type: 'string' } } }],
      ['get-sum', undefined],
    ]),
  ],
  ['silent', undefined],
])
const documentsIn = (text: string) => {
  const read = plainDocuments(text)
  if (!read.ok) throw new Error(read.problems[0]?.message)
  return read.value
}
const textFaults = (text: string, ...basis: [KnownTools, (readonly string[])?]): CaseFault[] =>
  documentsIn(text).flatMap(document => documentFaults(document, ...basis))
const caseWith = (step: string): string => `title: One\nsteps:\n  - ${step}\n`
const faultsOf = (text: string) =>
  textFaults(text, known).map(({ line, column, message }) => `${line}:${column} ${message}`)

describe('probable mistakes in a case', () => {
  test('are placeholders for the result of another step, which nobody fills in', () => {
    const steps = (id: string) => `title: One
steps:
  - { id: create, kind: toolCall, toolName: get-sum, arguments: {} }
  - { id: ask, kind: prompt, prompt: 'Delete {{ ${id}.id }}.' }
`
    expect(faultsOf(steps('create'))).toEqual([
      expect.stringMatching(
        /^4:38 A step cannot use the result of another one: "{{create.id}}" would be sent as it is/,
      ),
    ])
    expect(faultsOf(steps('user'))).toEqual([])
  })

  test.each([
    [
      '{ id: a, kind: toolCall, serverName: everythin, toolName: echo }',
      'no server "everythin". Did you mean "everything"?',
    ],
    ['{ id: a, kind: toolCall, serverName: everything, toolName: ecko }', 'no tool "ecko". Did you mean "echo"?'],
    [
      '{ id: a, kind: toolCall, toolName: echo, argments: {} }',
      'no field "argments" in a step. Did you mean "arguments"?',
    ],
    [
      '{ id: a, kind: toolCall, serverName: everything, toolName: echo, arguments: { mesage: hi } }',
      '"echo" has no argument "mesage". Did you mean "message"? By its schema it takes message.',
    ],
    ['{ id: a, kind: toolCall, toolName: echo, prompt: hi }', 'This toolCall step takes no "prompt"'],
    ['{ id: a, kind: prompt }', 'This prompt step needs "prompt".'],
    ['{ id: a, kind: assert, assertion: { needle: x } }', 'no type in this assertion'],
    ['{ id: a, kind: assert, assertion: { type: responseContain } }', 'Did you mean "responseContains"?'],
    ['{ id: a, kind: assert, assertion: { type: responseContains, needl: x } }', 'no field "needl"'],
    ['{ id: a, kind: assert, assertion: { type: turnCountUnder, turns: -1 } }', '"turns" must be at least 0'],
  ])('%s', (step, message) => {
    const faults = faultsOf(caseWith(step))
    expect(faults.join('\n')).toContain(message)
    expect(faults.every(fault => fault.startsWith('3:'))).toBe(true)
  })

  test('an argument that no schema knows is only a warning, since it may be intended', () => {
    const faults = textFaults(
      `title: One
steps:
  - { id: a, kind: toolCall, serverName: everything, toolName: echo, arguments: { mesage: hi } }
  - { id: b, kind: toolCall, serverName: everything, toolName: ecko }
  - { id: a, kind: toolCall, serverName: everything, toolName: get-sum, arguments: { anything: 1 } }
`,
      known,
    )
    expect(faults).toMatchObject([
      { line: 3, column: 83, isWarning: true },
      { line: 4, message: expect.stringContaining('no tool "ecko"') },
      { line: 5, column: 11, message: 'Step 1 has the id "a" already; within a case ids are there once.' },
    ])
    expect(faults.filter(({ isWarning }) => isWarning)).toHaveLength(1)
  })

  test.each([
    { additionalProperties: true },
    { additionalProperties: { type: 'string' } },
    { patternProperties: { '^x': {} } },
    { anyOf: [{ properties: { other: {} } }] },
    { $ref: '#/$defs/any' },
  ])('a schema that may accept other arguments causes no warning: %j', more => {
    const open: KnownTools = new Map([['s', new Map([['t', { type: 'object', properties: { a: {} }, ...more }]])]])
    const step = '{ id: a, kind: toolCall, serverName: s, toolName: t, arguments: { b: 1 } }'
    expect(textFaults(caseWith(step), open)).toEqual([])
  })

  test('arguments of a tool that two servers have cause no warning', () => {
    const [one, other] = ['a', 'b'].map(name => new Map([['t', { properties: { [name]: {} } }]]))
    const both: KnownTools = new Map([
      ['one', one],
      ['other', other],
    ])
    const step = '{ id: a, kind: toolCall, toolName: t, arguments: { c: 1 } }'
    expect(textFaults(caseWith(step), both)).toEqual([])
    expect(textFaults(caseWith(step), new Map([['one', one]]))).toHaveLength(1)
  })

  test('checks the tools only of servers that listed them', () => {
    expect(faultsOf(caseWith('{ id: a, kind: toolCall, serverName: silent, toolName: anything }'))).toEqual([])
    expect(
      faultsOf(caseWith('{ id: a, kind: assert, assertion: { type: toolNeverCalled, toolName: anything } }')),
    ).toEqual([])
  })

  test('checks of cases and suites are assertions too, and a file is checked against the servers it names', () => {
    const file = `suite:
  name: S
  servers: [everything]
  settings: { checks: [{ type: noToolError }] }
cases:
  - title: One
    steps: [{ id: a, kind: toolCall, toolName: gone }]
    checks: { list: [{ type: firstToolWas, toolName: nobody }] }
`
    expect(faultsOf(file)).toEqual([
      expect.stringMatching(/^4:32 There is no assertion type "noToolError"\. Did you mean "noToolErrors"/),
      '7:48 The servers have no tool "gone".',
      '8:54 The servers have no tool "nobody".',
    ])
    expect(serversOf(documentsIn(file))).toEqual(['everything'])
  })
})

/** Valid fields for each type. */
const valid: Record<AssertionName, object> = {
  toolCalledWith: { toolName: 'echo', args: { args: {} } },
  toolCalledAtLeastOnce: { toolName: 'echo' },
  toolNeverCalled: { toolName: 'get-sum' },
  firstToolWas: { toolName: 'echo' },
  responseContains: { needle: 'x' },
  responseMatches: { pattern: 'x' },
  noToolErrors: {},
  finalAssistantMessageNonEmpty: {},
  tokenBudgetUnder: { tokens: 1 },
  turnCountUnder: { turns: 1 },
  widgetRendered: {},
  widgetRenderLatencyUnder: { ms: 1 },
  widgetNoConsoleErrors: {},
}

test('a declared assertion with its own fields is not a fault, and any other field is', () => {
  fc.assert(
    fc.property(fc.constantFrom(...assertionNames), fc.string({ unit: 'grapheme-ascii' }), (name, extra) => {
      const fields = valid[name]
      const step = (more: object) =>
        caseWith(JSON.stringify({ id: 'a', kind: 'assert', assertion: { type: name, ...fields, ...more } }))
      expect(textFaults(step({}), known)).toEqual([])
      fc.pre(!['type', '__proto__', ...Object.keys(assertions[name].fields().shape)].includes(extra))
      expect(textFaults(step({ [extra]: 1 }), known)).toHaveLength(1)
    }),
  )
})

const calling = 'id: c, kind: toolCall, serverName: s, toolName: add, arguments: { a: 1, b: 2 }'
const says = '{ id: a, kind: assert, assertion: { type: toolNeverCalled, toolName: add } }'
const typed: KnownTools = new Map([
  [
    's',
    new Map<string, unknown>([
      ['add', { properties: { a: { type: 'number' }, b: { type: ['integer', 'null'] } }, required: ['a', 'b'] }],
    ]),
  ],
])
const fileWith = (form: string, settings = '{}'): string =>
  `suite: { name: S, servers: [s], settings: ${settings} }\ncases:\n  - ${form}\n`
const of = (text: string, models?: readonly string[]) =>
  textFaults(text, typed, models).map(({ message, isWarning }) => `${isWarning ? 'warning' : 'error'}: ${message}`)

describe('a case that checks nothing', () => {
  const NOTHING = 'warning: It checks nothing, so it passes whatever its tools and models answer. Add an assert step.'
  const EARLY = 'warning: This assertion comes before every call and prompt, so it judges none of them.'

  test.each([
    ['only calls', `{ title: T, steps: [{ ${calling} }] }`, [NOTHING]],
    ['only asks', '{ title: T, steps: [{ id: p, kind: prompt, prompt: hi }], expectedOutput: hi }', [NOTHING]],
    ['asserts before its call', `{ title: T, steps: [${says}, { ${calling} }] }`, [EARLY, NOTHING]],
    [
      'leaves out the checks of its suite',
      `{ title: T, checks: { mode: replace }, steps: [{ ${calling} }] }`,
      [NOTHING],
    ],
  ])('is reported if it %s', (_, form, expected) => {
    const settings = form.includes('replace') ? '{ checks: [{ type: noToolErrors }] }' : '{}'
    expect(of(fileWith(form, settings)).toSorted()).toEqual(expected.toSorted())
  })

  test.each([
    ['asserts behind its call', `{ title: T, steps: [{ ${calling} }, ${says}] }`, '{}'],
    [
      'has a check of its own',
      `{ title: T, checks: { list: [{ type: noToolErrors }] }, steps: [{ ${calling} }] }`,
      '{}',
    ],
    ['has its suite’s', `{ title: T, steps: [{ ${calling} }] }`, '{ checks: [{ type: noToolErrors }] }'],
    ['compares its calls', `{ title: T, matchOptions: { arguments: exact }, steps: [{ ${calling} }] }`, '{}'],
    ['is negative', '{ title: T, isNegative: true, steps: [{ id: p, kind: prompt, prompt: hi }] }', '{}'],
  ])('is not assumed if it %s', (_, form, settings) => {
    expect(of(fileWith(form, settings))).toEqual([])
  })

  test('is unknown for a case without its suite', () => {
    expect(of(`title: T\nsteps: [{ ${calling} }]\n`)).toEqual([])
  })
})

describe('faults that show only when a suite is sent or run', () => {
  const checked = (form: string): string => fileWith(form.replace('steps: [', `steps: [{ ${calling} }, ${says}, `))

  test.each([
    ['{ title: T, matchOptions: { order: any }, steps: [] }', 'error: There is no field "order".'],
    ['{ title: T, matchOptions: { arguments: all }, steps: [] }', 'error: "arguments" is "all"'],
    [
      '{ title: T, matchOptions: { arguments: exact, maxExtraToolCalls: 1 }, steps: [] }',
      'error: "maxExtraToolCalls" is of the internal vocabulary and arguments of the public one; use one of them.',
    ],
    ['{ title: T, isNegative: true, steps: [] }', 'error: A negative case passes only where no tool is called'],
    [
      '{ title: T, steps: [{ id: m, kind: assert, assertion: { type: responseMatches, pattern: "(" } }] }',
      'error: "pattern" is no regular expression: Invalid regular expression: /(/: Unterminated group.',
    ],
    [
      '{ title: T, steps: [{ id: d, kind: toolCall, serverName: s, toolName: add, arguments: { a: x } }] }',
      'warning: "a" of "add" is string; by its schema it is number.',
    ],
    [
      '{ title: T, steps: [{ id: d, kind: toolCall, serverName: s, toolName: add, arguments: { a: 1 } }] }',
      'warning: "add" needs the argument "b" by its schema.',
    ],
    [
      '{ title: T, steps: [{ id: d, kind: toolCall, serverName: s, toolName: add }] }',
      'warning: "add" needs the argument "a" by its schema.',
    ],
    [
      '{ title: T, models: [{ model: stub-x }], steps: [{ id: p, kind: prompt, prompt: hi }] }',
      'warning: The service lists no model "stub-x", and may refuse to run it. Did you mean "stub-a"?',
    ],
  ])('%s', (form, message) => {
    expect(of(checked(form), ['stub-a', 'llama3:latest']).join('\n')).toContain(message)
  })

  test('match options and models of a suite are checked too, and an alias of a model is accepted', () => {
    const prompt = `{ title: T, steps: [{ id: p, kind: prompt, prompt: hi }, ${says}] }`
    const file = (model: string, settings = '{}'): string =>
      fileWith(prompt, settings).replace('name: S', `name: S, model: ${model}`)
    expect(of(file('stub-x'), ['stub-a'])).toEqual([expect.stringContaining('no model "stub-x"') as string])
    expect(of(file('llama3'), ['llama3:latest'])).toEqual([])
    expect(of(file('stub-x'))).toEqual([])
    expect(of(file('stub-a', '{ matchOptions: { order: any } }'))).toEqual([
      expect.stringContaining('There is no field "order"') as string,
    ])
  })
})
