import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { swarmFinding } from './finding.ts'
import {
  adviceOn,
  insightsMarkdown,
  isGenerating,
  NEVER_ASKED,
  waveInsightsRead,
  windowInsightsRead,
} from './insights.ts'
import { messagesOfSession } from './session-trace.ts'

const NOW = 1_700_000_000_000
const advice = (title: string, severity: string, signalFingerprint: string) => ({
  id: `rf_${title}`,
  title,
  severity,
  signalFingerprint,
  recommendation: `Mend ${title}.`,
  affected: { count: 2, total: 3, unit: 'sessions' },
})
const read = waveInsightsRead({
  waveId: 'w',
  status: 'completed',
  insights: {
    summary: 'Two problems.',
    coverage: { unit: 'sessions', analyzed: 3, total: 9, lowConfidence: true },
    findings: [advice('small', 'low', 'a'), { nonsense: true }, advice('grave', 'high', 'b')],
    runHealth: { targets: [] },
  },
  updatedAt: NOW,
})

describe('insights on a run', () => {
  test('are rendered as Markdown, coverage first, then the most severe finding, without malformed parts', () => {
    const text = insightsMarkdown(read)
    const order = [
      'Two problems.',
      '3 of 9 sessions analyzed',
      'too few',
      '## grave',
      'severity high',
      '2 of 3 sessions',
      '## small',
    ]
    const places = order.map(each => text.indexOf(each))
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(places).not.toContain(-1)
    expect(read.findings).toHaveLength(2)
  })

  test('belong to a finding by its fingerprint', () => {
    expect(adviceOn(read, swarmFinding({ id: 'x', status: 'new', fingerprint: 'b' }))?.title).toBe('grave')
    expect(adviceOn(read, swarmFinding({ id: 'y', status: 'new', fingerprint: 'z' }))).toBeUndefined()
  })

  test('are awaited while pending and for a late discovery, but not if nobody requested them', () => {
    expect(isGenerating(NEVER_ASKED, NOW)).toBe(false)
    expect(isGenerating(waveInsightsRead({ waveId: 'w', status: 'pending' }), NOW)).toBe(true)
    expect(isGenerating(waveInsightsRead({ waveId: 'w', status: 'failed' }), NOW)).toBe(false)
    expect(isGenerating(read, NOW + 1000)).toBe(true)
    expect(isGenerating(read, NOW + 600_000)).toBe(false)
  })

  test('can be read from any document', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.constantFrom('status', 'summary', 'findings', 'coverage', 'error', 'runHealth', 'x'),
          fc.jsonValue(),
        ),
        document => {
          expect(typeof insightsMarkdown(windowInsightsRead({ windowId: 'w', ...document }))).toBe('string')
        },
      ),
    )
  })
})

describe('a session in a trace export', () => {
  const attribute = (key: string, value: unknown) => ({
    key,
    value: { stringValue: typeof value === 'string' ? value : JSON.stringify(value) },
  })
  const said = [
    { role: 'user', content: 'Add 2 and 3.' },
    { role: 'assistant', content: 'It is 5.' },
  ]
  const root = {
    traceId: 't',
    spanId: 'r',
    name: 'swarm',
    attributes: [
      attribute('session.id', 'ses_1'),
      attribute('gen_ai.input.messages', said),
      attribute('gen_ai.output.messages', said.slice(1)),
    ],
  }
  const step = { traceId: 't', spanId: 's', parentSpanId: 'r', name: 'answer', startTimeUnixNano: '1000000' }
  const call = {
    traceId: 't',
    spanId: 'c',
    parentSpanId: 's',
    name: 'get-sum',
    startTimeUnixNano: '2000000',
    endTimeUnixNano: '5000000',
    status: { code: 2 },
    attributes: [
      attribute('gen_ai.tool.name', 'get-sum'),
      attribute('mcpdeck.server.name', 'everything'),
      attribute('gen_ai.tool.call.arguments', { a: 2, b: 3 }),
      attribute('gen_ai.tool.call.result', '5'),
    ],
  }
  const page = (...spans: object[]) => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] })

  test('has each call before the answer to which it led', () => {
    expect(messagesOfSession(page(root, step, call, { ...call, traceId: 'other' }), ['ses_1'])).toEqual([
      said[0],
      {
        role: 'assistant',
        toolCalls: [
          {
            toolName: 'get-sum',
            serverName: 'everything',
            arguments: { a: 2, b: 3 },
            result: 5,
            isError: true,
            startedAt: 2,
            durationMs: 3,
          },
        ],
      },
      said[1],
    ])
  })

  test('keeps all calls even if steps and answers do not match', () => {
    const messages = messagesOfSession(page(root, call), ['ses_1'])
    expect(messages?.at(-1)).toMatchObject({ toolCalls: [{ toolName: 'get-sum' }] })
  })

  test('is not found on the page of another session or in unrelated data', () => {
    expect(messagesOfSession(page(root), ['ses_2'])).toBeUndefined()
    fc.assert(
      fc.property(fc.jsonValue(), value => {
        expect(messagesOfSession(value, ['ses_1'])).toBeUndefined()
      }),
    )
  })
})
