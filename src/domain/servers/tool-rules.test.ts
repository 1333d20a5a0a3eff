import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import { examined, stateOf } from './findings.ts'

const READS = { readOnlyHint: true }
const hinted = (name: string, more: object = {}): Tool => ({
  name,
  description: `Says ${name}.`,
  inputSchema: { type: 'object', properties: {} },
  annotations: READS,
  ...more,
})
const taking = (properties: object, more: object = {}, name = 'a'): Tool =>
  hinted(name, { inputSchema: { type: 'object', properties, ...more } })

const report = (tools: Tool[]): DoctorReport => ({
  generatedAt: '2026-01-01T00:00:00Z',
  status: 'ready',
  connection: { status: 'connected', detail: 'Connected.' },
  checks: { tools: { status: 'ok', detail: 'Listed.', durationMs: 12 } },
  tools,
})

const found = async (tools: Tool[]): Promise<[string, string][]> =>
  (await examined(report(tools))).findings.map(({ rule, place, text }) => [`${rule} ${place}`, text])
const textsOf = async (tools: Tool[]) => (await found(tools)).map(([, text]) => text)

test.each<[string, Partial<Tool>]>([
  ['only reads and yet deletes', { name: 'delete_file', description: 'Deletes a file.', annotations: READS }],
  [
    'destroys nothing and yet deletes',
    {
      name: 'deleteFile',
      description: 'Delete a file for good.',
      annotations: { readOnlyHint: false, destructiveHint: false },
    },
  ],
])('a tool with a description that contradicts its hint is found: it %s', async (_, tool) => {
  const [[where, text] = []] = await found([hinted('a', tool)])
  expect(where).toBe(`hints tools/${tool.name}/annotations`)
  expect(text).toMatch(/^The tool "delete_?[fF]ile" says that it (only reads|destroys nothing), but also “delete”$/)
})

test.each<[string, string, string]>([
  ['a noun that is a verb elsewhere', 'list_commits', 'Updates of a branch, as a list.'],
  ['a verb at the end', 'create_report_get', 'Delete nothing: gets the report that was made.'],
  ['a verb behind a prefix', 'API-post-search', 'Post a search.'],
  ['a description that says something else', 'update_check', 'Tells whether there is a newer version.'],
  ['a name that says something else', 'check_updates', 'Update nothing, look for newer versions.'],
  ['sums', 'add_numbers', 'Add two numbers.'],
])('the words of a tool do not contradict its hint: %s', async (_, name, description) => {
  expect(await found([hinted(name, { description })])).toEqual([])
})

test('other hints are trusted, whatever the name of the tool', async () => {
  const word = fc.constantFrom('get', 'list', 'commit', 'files', 'x', 'report', 'Delete', 'update')
  const name = fc.array(word, { minLength: 1, maxLength: 4 }).map(words => ['read', ...words].join('_'))
  await fc.assert(
    fc.asyncProperty(name, fc.constantFrom(true, false), async (named, readOnlyHint) => {
      const annotations = { readOnlyHint, destructiveHint: false }
      expect(await found([hinted(named, { description: 'Delete it.', annotations })])).toEqual([])
    }),
    { numRuns: 20 },
  )
})

test('a server without any hints causes one finding', async () => {
  const tools = Array.from({ length: 24 }, (_, at) => hinted(`delete_${at}`, { annotations: undefined }))
  expect(await found(tools)).toEqual([
    ['hints tools', 'None of its 24 tools says by its annotations whether it writes'],
  ])
  const [one] = tools
  expect(await textsOf([one!])).toEqual(['Its only tool does not say by its annotations whether it writes'])
})

test('a server with some tools without hints causes one finding', async () => {
  const tools = ['a', 'b', 'c', 'd'].map(name => hinted(name, name > 'b' ? { annotations: { title: name } } : {}))
  expect(await found(tools)).toEqual([
    ['hints tools', '2 of its 4 tools do not say by their annotations whether they write: c, d'],
  ])
})

test('a destructive hint counts as a hint, and both hints together are a contradiction', async () => {
  const annotations = { destructiveHint: false }
  expect(await found([hinted('a', { annotations })])).toEqual([])
  const both = hinted('a', { annotations: { readOnlyHint: true, destructiveHint: true } })
  expect(await textsOf([both])).toEqual(['The tool "a" says that it only reads, and that it destroys'])
})

const said = { description: 'Where it is.' }
test.each<[string, object, object]>([
  ['in a choice', { b: { anyOf: [{ type: 'string', ...said }, { type: 'null' }] } }, {}],
  ['in a choice of a choice', { b: { oneOf: [{ allOf: [{ type: 'string', ...said }] }] } }, {}],
  ['where it refers to', { b: { $ref: '#/$defs/c' } }, { $defs: { c: { type: 'string', ...said } } }],
  ['in what a choice refers to', { b: { anyOf: [{ $ref: '#/$defs/c~1d' }] } }, { $defs: { 'c/d': said } }],
  ['of what a list holds', { b: { type: 'array', items: { type: 'string', ...said } } }, {}],
  ['of what is in an object', { b: { type: 'object', properties: { c: { type: 'string', ...said } } } }, {}],
])('the description of an argument is also found %s', async (_, properties, more) => {
  expect(await found([taking(properties, more)])).toEqual([])
})

test.each<[string, object, object]>([
  ['a choice without one', { b: { anyOf: [{ type: 'string' }, { type: 'null', description: ' ' }] } }, {}],
  ['a reference to what has none', { b: { $ref: '#/$defs/c' } }, { $defs: { c: { type: 'string' } } }],
  ['references in a circle', { b: { $ref: '#/$defs/c' } }, { $defs: { c: { items: { $ref: '#/$defs/c' } } } }],
])('an argument is not described by %s', async (_, properties, more) => {
  expect(await textsOf([taking(properties, more)])).toEqual(['Arguments of "a" have no description: b'])
})

test.each([
  'Reads it.\n\nArgs:\n    path: Where it is.\n    depth (optional): How far down.',
  'Reads it.\n- path: where it is\n- **depth** – how far down',
  'Reads it.\n1. `path` (string): where it is\n2. "depth": how far down',
])('the description of a tool may describe its arguments', async description => {
  const tool = { ...taking({ path: {}, depth: {} }), description }
  expect(await found([tool])).toEqual([])
})

test.each(["Give the `path`, and 'depth'.", 'Call it with {"path": "/", "depth": 1}.'])(
  'a name quoted in a description is described by it',
  async description => {
    expect(await found([{ ...taking({ path: {}, depth: {} }), description }])).toEqual([])
  },
)

test('a name of several words may be spelled out', async () => {
  const described = (description: string) => textsOf([{ ...taking({ filePaths: {} }), description }])
  expect(await described('Give a list of absolute file paths.')).toEqual([])
  expect(await described('Give a list of absolute paths.')).toHaveLength(1)
})

test('the description of a tool may describe its only argument', async () => {
  const description = 'Runs an SQL query.'
  expect(await found([{ ...taking({ sql: {} }), description }])).toEqual([])
  expect(await textsOf([{ ...taking({ sql: {}, limit: said }), description }])).toHaveLength(1)
})

test('an argument with only one possible value needs no description', async () => {
  const given = { version: { const: 2 }, params: { type: 'object', properties: {}, additionalProperties: false } }
  expect(await found([taking(given)])).toEqual([])
})

test('arguments with a copied description are found, and other equal descriptions are not', async () => {
  const both = (one: string, other: string, description: string) =>
    textsOf([taking({ [one]: { description }, [other]: { description } })])
  expect(await both('width', 'height', 'Its width in pixels.')).toEqual([
    'Arguments of "a" have one description: width, height',
  ])
  expect(await both('startTarget', 'endTarget', 'The target as an element.')).toEqual([])
})

test('an argument that a description only names is not described by it', async () => {
  const tool = { ...taking({ path: {}, depth: {} }), description: 'Reads the path with depth.\nNote: path is a path.' }
  expect(await textsOf([tool])).toEqual(['Arguments of "a" have no description: path, depth'])
})

test('something that most tools of a server lack causes one finding', async () => {
  const tools = ['a', 'b', 'c', 'd'].map(name => taking(name === 'd' ? {} : { path: {} }, {}, name))
  expect(await found(tools)).toEqual([
    ['argument-description tools/*', '3 of its 4 tools have arguments without a description: a, b, c'],
  ])
  const blank = tools.map(tool => ({ ...taking({}), name: tool.name, description: '' }))
  expect(await textsOf(blank)).toEqual(['All its 4 tools have no description'])
  const few = [...tools, ...['e', 'f', 'g'].map(name => hinted(name))]
  expect(await textsOf(few)).toHaveLength(3)
})

test('fixing only some of the tools with a common gap causes no new finding', async () => {
  const lacking = (count: number) =>
    report(['a', 'b', 'c', 'd'].map((name, at) => taking(at < count ? { path: {} } : {}, {}, name)))
  const [many, few] = [await examined(lacking(4)), await examined(lacking(1))]
  expect((await examined(lacking(1), { before: many })).since).toMatchObject({
    fresh: [],
    gone: [many.findings[0]!.text],
  })
  expect((await examined(lacking(4), { before: few })).since).toMatchObject({
    fresh: [many.findings[0]!.text],
    gone: [],
  })
})

test('a contradictory hint is news even if other tools have none', async () => {
  const silent = ['a', 'b', 'c'].map(name => hinted(name, { annotations: undefined }))
  const before = await examined(report(silent))
  const both = hinted('d', { annotations: { readOnlyHint: true, destructiveHint: true } })
  const { since } = await examined(report([...silent, both]), { before })
  expect(since).toMatchObject({ fresh: ['The tool "d" says that it only reads, and that it destroys'], gone: [] })
})

test('refusals of strict clients cause one finding a kind, at its first place, and leave a server ready', async () => {
  const list = { tags: { type: 'array', ...said } }
  const tools = [taking(list), taking(list, {}, 'b.c'), taking({}, { anyOf: [{ required: [] }] }, 'd')]
  const all = await examined(report(tools))
  expect(all.findings.map(({ rule, kind, place, text }) => [rule, kind, place, text])).toEqual([
    [
      'portability',
      'advice',
      'tools/b.c',
      'Claude and OpenAI refuse tool names that are not 1 to 64 of A-Z a-z 0-9 _ -: b.c',
    ],
    [
      'portability',
      'advice',
      'tools/d/inputSchema',
      'Claude and OpenAI refuse anyOf, oneOf and allOf at the root of an input schema: d',
    ],
    [
      'portability',
      'advice',
      'tools/a/inputSchema/properties/tags',
      'VS Code, OpenAI and Gemini refuse lists without items: a, b.c',
    ],
  ])
  expect(stateOf(all, { enabled: true })).toBe('ready')
})

test('a name that MCP itself refuses is reported only as that', async () => {
  expect((await found([hinted('a b')])).map(([where]) => where)).toEqual(['tool-name tools/a b'])
})

test('an output schema is checked only for the parts that clients refuse', async () => {
  const outputSchema = { type: 'object', properties: { a: { type: 'array' }, b: true } }
  expect(await found([hinted('a', { outputSchema })])).toEqual([
    [
      'portability tools/a/outputSchema/properties/b',
      'Claude Code and clients over the Python SDK refuse properties whose schema is true or false: a',
    ],
  ])
})

test('more tools than clients accept are found', async () => {
  const tools = Array.from({ length: 129 }, (_, at) => hinted(`tool_${at}`))
  expect(await textsOf(tools)).toEqual(['OpenAI and VS Code refuse more than 128 tools: 129 are listed'])
  expect(await textsOf(tools.slice(1))).toEqual([])
})

test('a server whose input schemas are not objects has one fault', async () => {
  const tools = ['a', 'b', 'c'].map(name => hinted(name, { inputSchema: {} }))
  const all = await examined(report(tools))
  expect(all.findings.map(({ kind, text }) => [kind, text])).toEqual([
    ['wrong', 'All its 3 tools have an input schema that does not say type object, as MCP demands'],
  ])
})

test('an input schema that is not of an object is a fault', async () => {
  const all = await examined(report([hinted('a', { inputSchema: { properties: {} } })]))
  expect(all.findings.map(({ kind, place, text }) => [kind, place, text])).toEqual([
    ['wrong', 'tools/a/inputSchema', 'The input schema of "a" does not say type object, as MCP demands'],
  ])
})
