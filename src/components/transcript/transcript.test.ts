import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readHere } from '../../../test/markdown-reader.ts'
import { rowsOf, UNFOLDED } from '../../../test/outline-rows.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { widthOf } from '../../tui/theme/text.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { AS_GIVEN, toggled } from '../viewer/outline-tree.ts'
import { messageRows } from './messages.ts'
import { traceOf } from './trace-document.ts'
import { axisHead, barColumns, isError, traceNodes, trailsOf, type TraceNode } from './trace-nodes.ts'
import { transcriptNodes } from './transcript-nodes.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const theme = createTheme({ level: 0, ascii: false })
const ascii = createTheme({ level: 0, ascii: true })
const look = { symbols: theme.symbols, rendered: true, reader: readHere }

const conversation = (messages: unknown[], folding = AS_GIVEN) =>
  rowsOf(transcriptNodes(messageRows(messages, 'm'), look), { folding })

describe('a conversation', () => {
  test('shows messages with their text laid out, and calls and results folded', () => {
    expect(
      conversation([
        { role: 'user', content: 'Add **these**' },
        {
          role: 'assistant',
          durationMs: 1200,
          tokens: 40,
          content: [
            { type: 'text', text: 'On it.' },
            { type: 'tool-call', toolCallId: '1', toolName: 'sum', input: { a: 1, b: 2 } },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolName: 'sum',
              output: { type: 'json', value: { content: [{ type: 'text', text: '**3**' }] } },
            },
          ],
        },
      ]),
    ).toEqual([
      'user',
      'Add these',
      '',
      'assistant  1.2s, 40 tokens',
      'On it.',
      '',
      '· sum {"a":1,"b":2}',
      'tool',
      'result {"type":"text","text":"**3**"}',
    ])
  })

  test.each([
    ['OpenAI', { role: 'assistant', content: null, tool_calls: [{ function: { name: 'sum', arguments: '{"a":1}' } }] }],
    ['Anthropic', { role: 'assistant', content: [{ type: 'tool_use', name: 'sum', input: { a: 1 } }] }],
    ['the AI SDK', { role: 'assistant', content: [{ type: 'tool-call', toolName: 'sum', args: { a: 1 } }] }],
  ])('shows a call in the format of %s', (_name, message) => {
    expect(conversation([message])).toEqual(['assistant', '· sum {"a":1}'])
  })

  test('unfolds and marks errors', () => {
    const failed = { content: [{ type: 'text', text: 'no such city' }], isError: true }
    const rows = conversation([{ role: 'tool', toolName: 'sum', content: failed }])
    expect(rows).toEqual(['tool sum', 'result: tool error', 'no such city'])
  })

  test('shows a folded message as one line with its beginning', () => {
    const messages = [{ role: 'user', content: 'first line\nsecond line' }]
    expect(conversation(messages, toggled(AS_GIVEN, 'm/0', false))).toEqual(['user  first line second line'])
  })

  test('turns any document into rows without control characters, none too wide', () => {
    const messages = fc.array(
      fc.oneof(
        fc.jsonValue(),
        fc.record({
          role: fc.string(),
          content: fc.oneof(fc.string({ unit: anyCharacter }), fc.array(fc.jsonValue())),
        }),
      ),
    )
    fc.assert(
      fc.property(messages, fc.integer({ min: 12, max: 80 }), (given, width) => {
        const roots = transcriptNodes(messageRows(given, 'm'), look)
        for (const row of rowsOf(roots, { folding: UNFOLDED, width })) {
          expect(row).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]/)
          expect(widthOf(row)).toBeLessThan(width)
        }
      }),
    )
  })
})

const STEPS = [
  { stepId: 'ask', stepIndex: 0, kind: 'toolCall', status: 'ok' },
  {
    stepId: 'sure',
    stepIndex: 1,
    kind: 'assert',
    status: 'fail',
    reason: 'expected "sun"',
    evidence: { seen: 'rain' },
  },
]
const RECORDED = {
  startedAt: 1000,
  durationMs: 1000,
  messages: [{ role: 'user', content: 'Weather?' }],
  toolCalls: {
    actual: [
      {
        stepId: 'ask',
        serverName: 'sky',
        toolName: 'forecast',
        arguments: { city: 'Oslo' },
        startedAt: 1250,
        durationMs: 500,
        result: { content: [{ type: 'text', text: 'rain' }] },
      },
      {
        stepId: 'ask',
        serverName: 'sky',
        toolName: 'map',
        arguments: {},
        startedAt: 1800,
        durationMs: 10,
        error: 'Unknown tool',
      },
    ],
  },
  spans: [
    { spanId: 'ask', kind: 'step', stepId: 'ask', name: 'toolCall', startedAt: 1000, durationMs: 1000, status: 'ok' },
    {
      spanId: 'ask/call-1',
      kind: 'toolCall',
      stepId: 'ask',
      name: 'sky/forecast',
      startedAt: 1250,
      durationMs: 500,
      status: 'ok',
    },
    {
      spanId: 'ask/call-2',
      kind: 'toolCall',
      stepId: 'ask',
      name: 'sky/map',
      startedAt: 1800,
      durationMs: 10,
      status: 'error',
    },
  ],
}

const shape = (nodes: readonly TraceNode[]): unknown[] =>
  nodes.map(({ name, children }) => (children.length === 0 ? name : [name, ...shape(children)]))

describe('a trace', () => {
  test('shows its steps with their calls, times as bars, and errors unfolded', () => {
    const trace = traceOf(RECORDED, STEPS)
    const rows = rowsOf(traceNodes(trace, look), { width: 102 })
    expect(rows).toEqual([
      `${'✓ ok      toolCall ask'.padEnd(68)}${'━'.repeat(24)}      1s`,
      `${'✓ sky/forecast {"city":"Oslo"}'.padEnd(68)}${' '.repeat(6)}${'━'.repeat(12)}${' '.repeat(6)}   500ms`,
      `${'✗ sky/map {}'.padEnd(68)}${' '.repeat(19)}╸${' '.repeat(4)}    10ms`,
      'arguments {}',
      'Unknown tool',
      `${'✗ fail    assert sure'.padEnd(92)}       —`,
      'expected "sun"',
      'evidence { 1 }',
    ])
    for (const row of rows.filter(each => each.includes('ms') || each.includes('—'))) expect(widthOf(row)).toBe(100)
    expect(
      trailsOf(trace, undefined)
        .filter(({ node }) => isError(node))
        .map(({ node }) => node.name),
    ).toEqual(['sky/map', 'assert sure'])
  })

  test('has longer bars in a wide tree, exact to half a column, with the start of each part and the time scale', () => {
    const trace = traceOf(RECORDED, STEPS)
    const wide = { ...look, bar: barColumns(120) }
    const rows = rowsOf(traceNodes(trace, wide), { width: 120 }).filter(row => row.includes('  +'))
    expect(rows.map(row => row.slice(-56))).toEqual([
      `${'━'.repeat(40)}    +0ms      1s`,
      `${' '.repeat(10)}${'━'.repeat(20)}${' '.repeat(10)}  +250ms   500ms`,
      `${' '.repeat(32)}╸${' '.repeat(7)}  +800ms    10ms`,
    ])
    const [axis] = rowsOf([{ id: 'steps', head: axisHead('Steps', trace, wide) }], { width: 120 })
    expect(axis).toMatch(/^Steps {57}0 {37}1s$/)
    expect(rowsOf(traceNodes(trace, { ...wide, symbols: ascii.symbols }), { width: 120 })[0]).toContain('#'.repeat(40))
  })

  test('has no bars without room, and is built from verdicts and calls without the document', () => {
    expect(rowsOf(traceNodes(traceOf(RECORDED, STEPS), look), { width: 45 })[0]).toBe(
      '✓ ok      toolCall ask                   1s',
    )
    const trial = { actualToolCalls: [{ name: 'forecast', args: { city: 'Oslo' } }] }
    const rows = rowsOf(traceNodes(traceOf(undefined, STEPS, trial), look), { width: 60 })
    expect(rows.map(row => row.replace(/ +—$/, ''))).toEqual([
      '✓ ok      toolCall ask',
      '✗ fail    assert sure',
      'expected "sun"',
      'evidence { 1 }',
      '✓ forecast {"city":"Oslo"}',
    ])
  })

  test('shows only words and durations if nothing can be drawn', () => {
    const plain = createTheme({ level: 0, ascii: false, plain: true })
    const rows = rowsOf(traceNodes(traceOf(RECORDED, STEPS), { ...look, symbols: plain.symbols }), {
      width: 102,
      theme: plain,
    })
    expect(rows[1]!.replaceAll(/ {2,}/g, '  ')).toBe('✓ sky/forecast {"city":"Oslo"}  500ms')
    expect(rows.join('')).not.toContain('━')
  })

  test('keeps spans of other recorders within their parents, and breaks cycles', () => {
    const spans = [
      { id: 'a', name: 'turn', category: 'llm', startMs: 0, endMs: 100 },
      { id: 'b', parentId: 'a', name: 'sum', category: 'tool', startMs: 10, endMs: 20, status: 'ok' },
      { id: 'c', parentId: 'd', name: 'one' },
      { id: 'd', parentId: 'c', name: 'other' },
      { id: 'e', parentId: 'e', name: 'own' },
    ]
    const trace = traceOf({ spans, prompts: [{ actualToolCalls: [{ toolName: 'sum', arguments: { a: 1 } }] }] }, [])
    expect(shape(trace.nodes)).toEqual([['turn', 'sum'], 'own', 'one', 'other'])
    expect(trace.nodes[0]!.children[0]).toMatchObject({ durationMs: 10, call: { arguments: { a: 1 } } })
  })

  test('keeps spans that are nested too deep, outside of their parents', () => {
    const { most } = BOUNDS.traceLevels
    const spans = Array.from({ length: 10_000 }, (_, at) => ({ id: `${at}`, parentId: `${at - 1}`, name: `${at}` }))
    const { nodes } = traceOf({ spans }, [])
    expect(nodes.map(({ name }) => name)).toEqual(['0', ...spans.slice(most).map(({ name }) => name)])
  })

  test('shows a mark and a note in the line of a call', () => {
    const trace = traceOf(RECORDED, STEPS)
    const [step] = trace.nodes
    const [call] = step!.children
    const noted = {
      ...call!,
      call: { ...call!.call!, mark: { symbol: 'warn' as const, tone: 'warn' as const }, note: 'other city' },
    }
    const rows = rowsOf(traceNodes({ ...trace, nodes: [noted] }, look), { width: 102 })
    expect(rows[0]).toMatch(/^! sky\/forecast {2}other city/)
  })

  test('is a tree with each node once for any document', () => {
    const span = fc.record(
      {
        spanId: fc.constantFrom('a', 'b', 'c', 'd'),
        parentId: fc.constantFrom('a', 'b', 'c', 'd'),
        name: fc.string(),
        startedAt: fc.double(),
        durationMs: fc.double(),
      },
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(fc.array(span), fc.jsonValue(), (spans, toolCalls) => {
        const trace = traceOf({ spans, toolCalls, messages: toolCalls }, [])
        const raws = trailsOf(trace, undefined).map(({ node }) => node.raw)
        for (const each of spans) expect(raws.filter(raw => raw === each)).toHaveLength(1)
        const rows = rowsOf(traceNodes(trace, look), { folding: UNFOLDED, width: 80 })
        for (const row of rows) expect(widthOf(row)).toBeLessThan(80)
      }),
    )
  })
})
