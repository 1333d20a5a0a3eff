import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { parseSnapshot, snapshotChanges, snapshotOf } from './snapshots.ts'

type Json = Record<string, unknown>
const input = (properties: Json, required: string[] = []): Json => ({ type: 'object', properties, required })
const tool = (name: string, inputSchema: Json = input({}), more: Json = {}): Json => ({ name, inputSchema, ...more })
const server = (given: Json) => snapshotOf({ tools: [], ...given })
const changesOf = async (before: Json, after: Json) =>
  (await snapshotChanges(server(before), server(after))).map(({ impact, of, name, says }) =>
    [impact, of, name, says].join(' '),
  )

describe('changes between two snapshots', () => {
  test.each<[string, Json, Json, string[]]>([
    ['a tool that is gone', { tools: [tool('a'), tool('b')] }, { tools: [tool('b')] }, ['breaking tool a is gone']],
    [
      'other instructions',
      { instructions: 'Ask.' },
      { instructions: 'Go.' },
      ['safe server instructions have changed'],
    ],
    ['new instructions', { instructions: null }, { instructions: 'Go.' }, ['safe server instructions are new']],
    [
      'instructions that are gone',
      { instructions: 'Ask.' },
      { instructions: '' },
      ['safe server instructions are gone'],
    ],
    ['instructions that nobody looked for', {}, { instructions: 'Go.' }, []],
    [
      'a list that could be read at neither time',
      { unread: { tools: 'No.' } },
      { unread: { tools: 'No.' } },
      ['unknown list tools could be read neither before nor now, and are not compared'],
    ],
    ['a new tool', { tools: [tool('b')] }, { tools: [tool('a'), tool('b')] }, ['safe tool a is new']],
    [
      'a tool under another name',
      { tools: [tool('a', input({ x: {} }), { description: 'Adds.' })] },
      { tools: [tool('b', input({ x: {} }), { description: 'Adds.' })] },
      ['breaking tool a is now called "b"'],
    ],
    [
      'two tools that could be the renamed one',
      { tools: [tool('a', input({}), { description: 'Adds.' })] },
      { tools: [tool('b', input({}), { description: 'Adds.' }), tool('c', input({}), { description: 'Adds.' })] },
      ['breaking tool a is gone', 'safe tool b is new', 'safe tool c is new'],
    ],
    [
      'arguments, worst first',
      { tools: [tool('a', input({ x: { type: 'number' }, y: { type: 'string' } }))] },
      { tools: [tool('a', input({ x: { type: 'integer' }, y: { type: ['string', 'null'] }, z: {} }, ['z']))] },
      [
        'breaking tool a the argument `x` is now integer (was number)',
        'breaking tool a the argument `z` is new and required',
        'safe tool a the argument `y` is now string | null (was string)',
      ],
    ],
    [
      'results, where more is worse',
      { tools: [tool('a', input({}), { outputSchema: input({ x: { type: 'integer' } }, ['x']) })] },
      { tools: [tool('a', input({}), { outputSchema: input({ x: { type: 'number' }, y: {} }, ['x', 'y']) })] },
      [
        'breaking tool a the field `x` of its result is now number (was integer)',
        'safe tool a the field `y` of its result is new and required',
      ],
    ],
    [
      'an output schema that is gone',
      { tools: [tool('a', input({}), { outputSchema: input({ x: {} }) })] },
      { tools: [tool('a')] },
      [
        'breaking tool a the output schema is now any (was object)',
        'breaking tool a the field `x` of its result is gone',
      ],
    ],
    [
      'words and hints',
      { tools: [tool('a', input({}), { description: 'x', annotations: { readOnlyHint: true } })] },
      { tools: [tool('a', input({}), { description: 'y', annotations: { readOnlyHint: false } })] },
      ['unknown tool a has another annotations', 'safe tool a has another description'],
    ],
    [
      'arguments of a prompt',
      { prompts: [{ name: 'p', arguments: [{ name: 'a' }, { name: 'b', required: true }, { name: 'c' }] }] },
      {
        prompts: [
          { name: 'p', arguments: [{ name: 'd', required: true }, { name: 'b' }, { name: 'a', required: true }] },
        ],
      },
      [
        'breaking prompt p the argument `a` is now required',
        'breaking prompt p the argument `c` is gone',
        'breaking prompt p the argument `d` is new and required',
        'safe prompt p the argument `b` is now optional',
      ],
    ],
    [
      'resources by their address',
      {
        resources: [
          { uri: 'a:1', name: 'x' },
          { uri: 'a:2', mimeType: 'text/plain' },
        ],
      },
      { resources: [{ uri: 'a:2', mimeType: 'text/html' }] },
      ['breaking resource a:1 is gone', 'unknown resource a:2 has another mimeType'],
    ],
    [
      'twins of one name',
      { tools: [tool('a'), tool('a', input({ x: {} }))] },
      { tools: [tool('a'), tool('a', input({ y: {} }))] },
      ['unknown tool a is listed several times, and changed'],
    ],
  ])('are right for %s', async (_, before, after, expected) => expect(await changesOf(before, after)).toEqual(expected))

  test('schemas that take too long to compare may break, and are not called equal', async () => {
    const [one, other] = [server({ tools: [tool('a')] }), server({ tools: [tool('a', input({ x: {} }))] })]
    expect(await snapshotChanges(one, other, 0)).toMatchObject([{ impact: 'unknown', kind: 'schema' }])
  })

  const schema = fc.constantFrom<Json>(
    { type: 'string' },
    { type: 'integer', minimum: 1 },
    { enum: ['a', 'b'] },
    { type: 'array', items: { type: 'string' } },
    {},
  )
  const names = fc.constantFrom('a', 'b', 'c', '__proto__', 'constructor')
  const tools = fc.uniqueArray(
    fc.record({ name: names, description: fc.string(), properties: fc.dictionary(names, schema, { maxKeys: 3 }) }),
    { selector: ({ name }) => name, minLength: 1, maxLength: 4 },
  )
  const listed = (all: readonly { name: string; description: string; properties: Json }[]) =>
    server({
      tools: all.map(({ name, description, properties }) => tool(name, input(properties), { description })),
      prompts: all.map(({ name }) => ({ name })),
      resources: all.map(({ name }) => ({ uri: name })),
    })
  const reversed = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reversed)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value)
        .toReversed()
        .map(([key, inner]) => [key, reversed(inner)]),
    )
  }

  test('a snapshot has no differences from itself in any order', async () => {
    await fc.assert(
      fc.asyncProperty(tools, async all => {
        const turned = snapshotOf(reversed(listed(all.toReversed())))
        expect(await snapshotChanges(listed(all), turned)).toEqual([])
      }),
      { numRuns: 40 },
    )
  })

  test('a new required argument always breaks, and accepting more never does', async () => {
    const wider: Json = { type: ['string', 'integer', 'array', 'null'] }
    await fc.assert(
      fc.asyncProperty(tools, schema, fc.boolean(), async (all, added, isRequired) => {
        const after = snapshotOf({
          ...listed(all),
          tools: all.map(({ name, description, properties }) => {
            const wide = Object.fromEntries(
              Object.entries(properties).map(([key, one]) => [key, 'type' in one && !isRequired ? {} : one]),
            )
            return tool(name, input({ ...wide, fresh: { ...added, ...wider } }, isRequired ? ['fresh'] : []), {
              description,
            })
          }),
        })
        const changes = await snapshotChanges(listed(all), after)
        for (const { name } of all) {
          const own = changes.filter(change => change.of === 'tool' && change.name === name)
          expect(own.some(({ impact }) => impact === 'breaking')).toBe(isRequired)
          if (!isRequired) expect(own.every(({ impact }) => impact === 'safe')).toBe(true)
        }
      }),
      { numRuns: 40 },
    )
  })

  test.each([
    ['', 'is not JSON'],
    ['[]', 'is not a snapshot: it lists no tools'],
    ['{"tools":{}}', 'is not a snapshot: it lists no tools'],
    ['{"tools":[],"prompts":5}', 'is not a snapshot: its prompts are no list'],
    ['{"tools":[{"name":"a"},{"name":5}]}', 'is not a snapshot: entry 2 of its tools has no name'],
    [`{"tools":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'is nested too deeply'],
  ])('the invalid snapshot %.40s causes an error that explains it', (text, why) => {
    expect(() => parseSnapshot(text)).toThrow(why)
  })

  test('any two snapshots can be compared', async () => {
    const item = fc.dictionary(fc.constantFrom('inputSchema', 'outputSchema', 'arguments', 'x'), fc.jsonValue())
    const list = (key: string) =>
      fc.array(
        item.map(each => ({ ...each, [key]: 'n' })),
        { maxLength: 2 },
      )
    const any = fc.record({ tools: list('name'), prompts: list('name'), resources: list('uri') })
    await fc.assert(
      fc.asyncProperty(any, any, async (one, other) => {
        for (const { says } of await snapshotChanges(snapshotOf(one), snapshotOf(other)))
          expect(says).not.toMatch(/undefined|NaN|\[object/)
      }),
      { numRuns: 40 },
    )
  })
})
