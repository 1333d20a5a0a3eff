import fc from 'fast-check'
import { expect, test } from 'vitest'
import { changeLine, changesBetween } from '../src/domain/suites/changes.ts'
import { parseInner, TOO_DEEP } from '../src/lib/json.ts'
import { messagesOfSession, sessionsOnPage } from '../src/domain/findings/session-trace.ts'
import { jsonText } from '../src/lib/printable.ts'
import { schemaChanges } from '../src/lib/json-schema/changes.ts'
import { toolsSeenIn } from '../src/domain/runs/comparison-tools.ts'
import { isSameJson } from '../src/domain/json/same-json.ts'
import { createTheme } from '../src/tui/theme/theme.ts'
import { jsonNode, openDepth } from '../src/components/json/json-tree.ts'
import { jsonLines } from '../src/components/lines.ts'
import { blockNodes, contentNodes, resourceNodes } from '../src/components/transcript/content.ts'
import { callOf, messageRows } from '../src/components/transcript/messages.ts'
import { callNode, jsonSample, transcriptNodes } from '../src/components/transcript/transcript-nodes.ts'
import type { OutlineNode } from '../src/components/viewer/outline-tree.ts'
import { settingLabel } from '../src/screens/scenarios/open-lines.ts'
import { argumentForm } from '../src/screens/servers/arguments.ts'
import { withShortTexts } from '../src/screens/servers/json-text.ts'
import { constraints, schemaLines, schemaType } from '../src/screens/servers/schema-lines.ts'
import { plainSchemas } from '../src/lib/json-schema/plain-schema.ts'
import { rowsOf } from './outline-rows.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const look = { symbols, rendered: true }

/** Ways to wrap a value again: in a list, or in a field that some code follows. */
const WRAPS: readonly ((inner: string) => string)[] = [
  inner => `[${inner}]`,
  ...['x', 'properties', 'items', 'anyOf', 'enum', 'default', 'content', 'arguments', 'parts'].map(
    name => (inner: string) => `{"${name}":${inner}}`,
  ),
]

/** JSON with up to 20,000 levels, as text. */
const nested = fc
  .tuple(
    fc.array(fc.nat({ max: WRAPS.length - 1 }), { minLength: 1, maxLength: 6 }),
    fc.oneof(fc.nat({ max: 20_000 }), fc.constantFrom(511, 512, 513, 5000, 20_000)),
  )
  .map(([order, levels]) => {
    const [open, close] = [[] as string[], [] as string[]]
    for (let level = 0; level < levels; level += 1) {
      const [before = '', after = ''] = WRAPS[order[level % order.length]!]!('\0').split('\0')
      open.push(before)
      close.push(after)
    }
    return `${open.join('')}1${close.toReversed().join('')}`
  })

/** Reads everything that can be copied from an unfolded document, and its rows. */
function read(roots: readonly OutlineNode[]): void {
  rowsOf(roots)
  for (const root of roots) root.copy?.()
}

/** Every function that accepts unchecked values from a server, a model or the service. */
const READERS: Record<string, (value: unknown, text: string) => void> = {
  jsonText: value => void JSON.parse(jsonText(value, 2)),
  jsonLines: value => void jsonLines(value),
  jsonNode: value => read([jsonNode(value, { id: '', open: Math.min(600, openDepth(value)) })]),
  jsonSample: value => void jsonSample(value),
  blockNodes: value => read(blockNodes(value, '', look)),
  contentNodes: value => read(contentNodes([value, { type: 'text', text: 'a', more: value }], '', look)),
  resourceNodes: value => read(resourceNodes({ uri: 'a:b', more: value }, '', look)),
  messageRows: (value, text) =>
    read(
      transcriptNodes(
        messageRows(
          [
            { role: 'assistant', content: value },
            { role: 'tool', content: [{ type: 'tool-result', result: value }], toolCalls: [{ arguments: text }] },
          ],
          'm',
        ),
        look,
      ),
    ),
  callNode: (value, text) => {
    read([callNode(callOf({ name: 'a', arguments: text, result: value }), 'c', look)])
    read([callNode(callOf({ name: 'a', arguments: value, result: { content: [value] } }), 'c', look)])
  },
  sessions: (value, text) => {
    const page = { resourceSpans: [{ scopeSpans: [{ spans: [{ attributes: value, name: text }] }] }] }
    sessionsOnPage(value)
    sessionsOnPage(page)
    messagesOfSession(page, ['a'])
  },
  toolsSeenIn: value => void toolsSeenIn({ toolsSeen: [{ tools: [value] }] }),
  schemaChanges: (value, text) => {
    const other: unknown = JSON.parse(text)
    schemaChanges(value, other)
    schemaChanges({ properties: { a: value } }, { properties: { a: [value], b: other } })
  },
  isSameJson: (value, text) => expect(isSameJson(value, JSON.parse(text))).toBe(true),
  changesBetween: (value, text) => {
    expect(changesBetween(value, JSON.parse(text))).toEqual([])
    const changes = changesBetween(value, JSON.parse(text.replace('1', '2')))
    expect(changes).toHaveLength(1)
    changeLine(changes[0]!, '>')
    changeLine({ path: 'a', from: value, to: [value] }, '>')
  },
  valueWords: value => void settingLabel('a', value, 0),
  schemas: value => {
    const schema = { type: 'object', properties: { a: value, b: { enum: [value], default: value } } }
    const read = plainSchemas(schema)
    for (const part of [value, { const: value }]) schemaType(read(part), read)
    constraints({ default: value })
    schemaLines(schema)
    argumentForm(schema)
  },
  texts: value => {
    withShortTexts(value, 10)
  },
}

test.each(Object.entries(READERS))('%s accepts JSON of any depth', (_name, reader) => {
  fc.assert(
    fc.property(nested, text => {
      reader(JSON.parse(text), text)
    }),
    { numRuns: 40 },
  )
})

test('JSON that is too deep is reported, and never called equal', () => {
  const deep = (inner: string) => `${'['.repeat(9000)}${inner}${']'.repeat(9000)}`
  expect(jsonText(JSON.parse(deep('1')))).toContain(TOO_DEEP)
  expect(schemaChanges(JSON.parse(deep('1')), JSON.parse(deep('2')))).toMatchObject([{ input: 'unknown' }])
  expect(isSameJson(JSON.parse(deep('1')), JSON.parse(deep('2')))).toBe(false)
  expect(() => parseInner(deep('1'))).toThrow(SyntaxError)
  // Texts within a conversation remain texts.
  expect(callOf({ name: 'a', arguments: deep('1') }).arguments).toBe(deep('1'))
})
