import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import { examined, stateOf } from './findings.ts'
import { checkSchemas } from './findings.ts'

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

function tool(name: string, inputSchema: object | null = { type: 'object' }): Tool {
  return { name, inputSchema: inputSchema as Tool['inputSchema'] }
}

const textsOf = async (change: Partial<DoctorReport>) =>
  (await examined(report(change))).findings.map(({ kind, text }) => `${kind}: ${text}`)

/** Every property compiles the same large definition again, which takes minutes where nothing bounds it. */
function multiplying(count: number): object {
  const names = (prefix: string, of: number) => Array.from({ length: of }, (_, at) => `${prefix}${at}`)
  const large = {
    type: 'object',
    properties: Object.fromEntries(names('p', 200).map(name => [name, { type: 'string' }])),
  }
  const properties = Object.fromEntries(names('q', count).map(name => [name, { $ref: '#/$defs/large' }]))
  return { type: 'object', $defs: { large }, properties }
}

test('a server with nothing wrong is ready', async () => {
  const found = await examined(report())
  expect({ findings: found.findings, state: stateOf(found) }).toEqual({ findings: [], state: 'ready' })
})

test.each<[string, Partial<DoctorReport>, string]>([
  [
    'output',
    { probe: { strayOutput: { lines: 3, first: 'Listening on 3000' } } },
    'wrong: It prints 3 lines that are no messages of MCP to stdout, which belongs to the protocol alone, first: Listening on 3000',
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
])('%s is known to be wrong, so the server is not ready', async (_, change, text) => {
  const found = await examined(report(change))
  expect(found.findings.map(each => `${each.kind}: ${each.text}`.slice(0, text.length))).toEqual([text])
  expect(stateOf(found)).toBe('warnings')
})

test('what is beyond the bounds is not checked, which is said, and no reason to call a server wrong', async () => {
  const huge = { type: 'object', description: 'x'.repeat(400_000) }
  const found = await examined(report({ tools: [tool('huge', huge)] }))
  expect(found.findings).toEqual([
    { kind: 'unchecked', text: 'The input schema of "huge" is not checked: it is too large' },
  ])
  expect(stateOf(found)).toBe('ready')
})

test('a status other than ready stays what it is', async () => {
  const found = await examined(report({ status: 'partial', tools: [tool('not a name')] }))
  expect(stateOf(found)).toBe('partial')
})

test('schemas made to keep a compiler busy are checked beside the thread that draws, within a limit', async () => {
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

test('whatever a service reports, every finding is a sentence', async () => {
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
