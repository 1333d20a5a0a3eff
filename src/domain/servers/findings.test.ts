import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import { examined, stateOf } from './findings.ts'
import { checkSchemas } from './findings.ts'
import { RULES } from './rules.ts'

function report(change: Partial<DoctorReport> = {}): DoctorReport {
  return {
    generatedAt: '2026-01-01T00:00:00Z',
    status: 'ready',
    connection: { status: 'connected', detail: 'Connected.' },
    checks: { tools: { status: 'ok', detail: '1 listed.', durationMs: 12 } },
    tools: [tool('echo')],
    ...change,
  }
}

function tool(name: string, inputSchema: object | null = { type: 'object', properties: {} }): Tool {
  const annotations = { readOnlyHint: true }
  return { name, description: `Says ${name}.`, inputSchema: inputSchema as Tool['inputSchema'], annotations }
}

const properties = (given: object, more: object = {}) => tool('a', { type: 'object', properties: given, ...more })
const described = (given: object) => ({ ...given, description: JSON.stringify(given) })

const textsOf = async (change: Partial<DoctorReport>) =>
  (await examined(report(change))).findings.map(({ kind, text }) => `${kind}: ${text}`)

/**
 * Creates a schema whose properties all compile the same large definition again, which takes minutes without a limit.
 */
function multiplying(count: number): object {
  const names = (prefix: string, of: number) => Array.from({ length: of }, (_, at) => `${prefix}${at}`)
  const large = {
    type: 'object',
    properties: Object.fromEntries(names('p', 200).map(name => [name, { type: 'string' }])),
  }
  const properties = Object.fromEntries(names('q', count).map(name => [name, { $ref: '#/$defs/large' }]))
  return { type: 'object', $defs: { large }, properties }
}

test('a server without findings is ready', async () => {
  const found = await examined(report())
  expect({ findings: found.findings, state: stateOf(found, { enabled: true }) }).toEqual({
    findings: [],
    state: 'ready',
  })
})

test.each<[string, Partial<DoctorReport>, string]>([
  [
    'output',
    { probe: { strayOutput: { lines: 3, first: 'Listening on 3000' } } },
    'wrong: It prints 3 lines that are not messages of MCP to stdout, which belongs to the protocol alone, first: Listening on 3000',
  ],
  [
    'a slow listing',
    { checks: { tools: { status: 'ok', detail: '1 listed.', durationMs: 8_040 } } },
    'wrong: Listing its tools takes 8.0 s, and every client waits for it',
  ],
  [
    'a name outside the rule',
    { tools: [tool('get sum')] },
    'wrong: The tool name "get sum" has other characters than A-Z a-z 0-9 _ - .',
  ],
  [
    'a long name',
    { tools: [tool('n'.repeat(129))] },
    `wrong: The tool name "${'n'.repeat(129)}" is longer than 128 characters`,
  ],
  ['a name twice', { tools: [tool('a'), tool('a'), tool('a')] }, 'wrong: Several tools have the name "a"'],
  [
    'a type that is none',
    { tools: [tool('a', { type: 'object', properties: { b: { type: 'strin' } } })] },
    'wrong: The input schema of "a" does not compile: schema is invalid: data/properties/b/type must be equal to one of the allowed values',
  ],
  [
    'a reference to nothing',
    { tools: [tool('a', { type: 'object', properties: { b: { $ref: '#/$defs/c' } } })] },
    `wrong: The input schema of "a" does not compile: can't resolve reference #/$defs/c from id #`,
  ],
  ['no schema', { tools: [tool('a', null)] }, 'wrong: The input schema of "a" does not compile: the server gave none'],
])('a server with %s has a fault and is not ready', async (_, change, text) => {
  const found = await examined(report(change))
  const wrong = found.findings.filter(({ kind }) => kind !== 'advice')
  expect(wrong.map(each => `${each.kind}: ${each.text}`.slice(0, text.length))).toEqual([text])
  expect(stateOf(found, { enabled: true })).toBe('warnings')
})

test('parts that exceed the limits are reported as unchecked, which is not a fault of the server', async () => {
  const huge = { type: 'object', description: 'x'.repeat(400_000) }
  const found = await examined(report({ tools: [tool('huge', huge)] }))
  const text = 'The input schema of "huge" is not checked: it is too large'
  expect(found.findings.filter(({ rule }) => rule !== 'tokens')).toMatchObject([{ kind: 'unchecked', text }])
  expect(stateOf(found, { enabled: true })).toBe('ready')
})

test('a status other than ready is kept', async () => {
  const found = await examined(report({ status: 'partial', tools: [tool('not a name')] }))
  expect(stateOf(found, { enabled: true })).toBe('partial')
})

test('a server that is switched off is never ready', async () => {
  const [found, wrong] = [await examined(report()), await examined(report({ tools: [tool('not a name')] }))]
  expect(stateOf(found, { enabled: false })).toBe('off')
  // A server whose state is unknown is not ready either.
  expect(stateOf(found, { enabled: undefined })).toBe('not known')
  expect(stateOf(wrong, { enabled: false })).toBe('warnings')
})

test('schemas designed to keep a compiler busy are checked outside the drawing thread, within a limit', async () => {
  const schemas = Array.from({ length: 40 }, () => multiplying(500))
  let turns = 0
  const counting = setInterval(() => (turns += 1), 1)
  const within = await checkSchemas(schemas.slice(0, 3))
  clearInterval(counting)
  expect(within).toEqual([{ kind: 'fine' }, { kind: 'fine' }, { kind: 'fine' }])
  expect(turns).toBeGreaterThan(10)
  const cut = await checkSchemas(schemas, 1)
  expect(cut).toHaveLength(40)
  expect(cut.at(-1)).toEqual({ kind: 'unchecked', why: 'checking all of them took longer than 0.001 s' })
})

test('many findings of one kind are counted', async () => {
  const tools = Array.from({ length: 15 }, (_, at) => tool(`bad ${at}`))
  const texts = await textsOf({ tools })
  expect(texts).toHaveLength(11)
  expect(texts.at(-1)).toBe('wrong: 5 more tool names are wrong')
})

test('every finding is a sentence, whatever a service reports', async () => {
  const anything = fc.anything({ maxDepth: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        probe: anything,
        durationMs: fc.double(),
        names: fc.array(fc.string(), { maxLength: 4 }),
        schema: anything,
      }),
      async ({ probe, durationMs, names, schema }) => {
        const tools = names.map(name => tool(name, JSON.parse(JSON.stringify(schema) ?? 'null') as object))
        const checks = { tools: { status: 'ok', detail: '', durationMs } }
        for (const text of await textsOf({ probe: probe as never, checks, tools }))
          expect(text).not.toMatch(/undefined|NaN|\[object/)
      },
    ),
    { numRuns: 20 },
  )
})

test.each<[string, Partial<DoctorReport>, string, string]>([
  [
    'a range without numbers in it',
    { tools: [properties({ b: described({ minimum: 5, maximum: 1 }) })] },
    'wrong tools/a/inputSchema/properties/b',
    'The input schema of "a" has minimum 5 above maximum 1, at /properties/b',
  ],
  [
    'a choice that no type allows',
    { tools: [properties({ b: described({ type: 'string', enum: [null] }) })] },
    'wrong tools/a/inputSchema/properties/b',
    'The input schema of "a" has no choice of type string in its enum, at /properties/b',
  ],
  [
    'a required name that may not be given',
    { tools: [properties({ b: described({}) }, { required: ['c'], additionalProperties: false })] },
    'wrong tools/a/inputSchema',
    'The input schema of "a" requires "c", which it does not allow',
  ],
  [
    'types that exclude each other',
    { tools: [properties({ b: described({ allOf: [{ type: 'string' }, { type: 'number' }] }) })] },
    'wrong tools/a/inputSchema/properties/b',
    'The input schema of "a" has conditions whose types exclude each other, at /properties/b',
  ],
  [
    'a default of another type',
    { tools: [properties({ b: described({ type: 'integer', default: '5' }) })] },
    'advice tools/a/inputSchema/properties/b',
    'The input schema of "a" has the default "5", which is not integer, at /properties/b',
  ],
  [
    'no description',
    { tools: [{ ...tool('a'), description: ' ' }] },
    'advice tools/a',
    'The tool "a" has no description',
  ],
  ['a prompt without one', { prompts: [{ name: 'p' }] }, 'advice prompts/p', 'The prompt "p" has no description'],
  [
    'arguments without one',
    { tools: [properties({ b: {}, c: described({}), d: { description: '' } })] },
    'advice tools/a',
    'Arguments of "a" have no description: b, d',
  ],
  [
    'tools with one description',
    { tools: [tool('a'), { ...tool('b'), description: 'says  A.' }] },
    'advice tools/a',
    'Several tools have one description: a, b',
  ],
])('a fault (%s) is found at its place, with advice', async (_, change, where, text) => {
  const found = await examined(report(change))
  expect(found.findings.map(each => [`${each.kind} ${each.place}`, each.text])).toEqual([[where, text]])
  expect(found.findings[0]!.advice).toMatch(/^[A-Z].*\.$/)
  expect(stateOf(found, { enabled: true })).toBe(where.startsWith('wrong') ? 'warnings' : 'ready')
})

test('a long list of tools causes advice that names the largest tools', async () => {
  const tools = [tool('small'), { ...tool('large'), description: 'word '.repeat(10_000) }]
  const { findings, toolTokens } = await examined(report({ tools }))
  expect(toolTokens).toBeGreaterThan(12_000)
  expect(findings).toMatchObject([{ rule: 'tokens', text: expect.stringContaining('most of all "large" 125') }])
})

test('only the last result of a tool is compared with its output schema', async () => {
  const outputSchema = { type: 'object', properties: { t: { type: 'number' } }, required: ['t'] }
  const tools = [{ ...tool('weather'), outputSchema }, tool('free')]
  const found = async (tool: string, structuredContent: unknown) =>
    (await examined(report({ tools }), { results: [{ tool, structuredContent }] })).findings.map(({ text }) => text)
  expect(await found('weather', { t: 5 })).toEqual([])
  expect(await found('free', undefined)).toEqual([])
  const wrong = 'The last result of "weather" does not fit its output schema:'
  expect(await found('weather', { t: 'warm' })).toEqual([`${wrong} \`t\` must be number`])
  expect(await found('weather', undefined)).toEqual([`${wrong} it has no structured content`])
  const of = { of: 'trial', at: '2026-11-21T17:42:10Z' }
  const recorded = await examined(report({ tools }), { results: [{ tool: 'weather', structuredContent: {}, ...of }] })
  expect(recorded.findings[0]?.text).toContain('of "weather", of the trial at 2026-11-21 17:42 UTC, does not fit')
})

test('a report lists new and resolved findings compared with the previous one if both are complete', async () => {
  const before = await examined(report({ tools: [tool('a b'), tool('c d')] }))
  const after = await examined(report({ tools: [tool('c d'), tool('e f')] }), { before })
  const text = (name: string) => `The tool name "${name}" has other characters than A-Z a-z 0-9 _ - .`
  expect(after.since).toEqual({ generatedAt: before.generatedAt, fresh: [text('e f')], gone: [text('a b')] })
  const old = { ...before, findings: [{ kind: 'wrong' as const, text: 'of an earlier program' }] }
  expect((await examined(report(), { before: old })).since).toBeUndefined()
  expect((await examined(report({ status: 'partial' }), { before })).since).toBeUndefined()
})

test('every rule has a unique name and says what to do', () => {
  expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length)
  for (const { says, advice } of RULES) for (const text of [says, advice]) expect(text).toMatch(/^[A-Z].*\.$/)
})
