import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readHere } from '../../../test/markdown-reader.ts'
import { rowsOf, UNFOLDED } from '../../../test/outline-rows.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { blockNodes } from '../../components/transcript/content.ts'
import { createCallLog, type Answer, type CallRecord } from '../../domain/calls/call-log.ts'
import { AS_GIVEN, outline } from '../../components/viewer/outline-tree.ts'
import { plainText } from '../../components/viewer/source.ts'
import { callDuration, statusOf } from '../../domain/calls/listed-calls.ts'
import { callLook, callNodes, hasMarkdown } from './result-lines.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const subject = { kind: 'tool', serverId: 's1', serverName: 'everything', target: 'echo', input: { a: 1 } } as const

const look = { symbols, rendered: true, reader: readHere }

/** Returns the text of a call with everything unfolded. */
function drawn(record: CallRecord, now = 0): string {
  return rowsOf(callNodes(record, look, now), { folding: UNFOLDED }).join('\n')
}

async function settledCall(send: () => Promise<{ answer: Answer; text: string }>): Promise<CallRecord> {
  const log = createCallLog()
  const { record, settled } = log.start(subject, send)
  await settled
  return log.get(record.id)!
}

const answered = (value: Extract<Answer, { kind: 'tool' }>['value']) =>
  settledCall(() => Promise.resolve({ answer: { kind: 'tool', value }, text: JSON.stringify(value) }))
const failed = (fields: Partial<ConstructorParameters<typeof ApiError>[0]>) =>
  settledCall(() =>
    Promise.reject(
      new ApiError({ kind: 'network', message: 'lost', endpoint: contract.servers.callTool, sent: true, ...fields }),
    ),
  )

test('a call is listed at once, newest first and per server, and keeps its position when it ends', async () => {
  const log = createCallLog()
  const gate = Promise.withResolvers<{ answer: Answer; text: string }>()
  const first = log.start(subject, () => gate.promise)
  log.start({ ...subject, target: 'sum' }, () => Promise.reject(new Error('no')))
  log.start({ ...subject, serverId: 's2' }, () => Promise.reject(new Error('no')))
  expect(log.of('s1').map(record => [record.target, record.outcome.state])).toEqual([
    ['sum', 'running'],
    ['echo', 'running'],
  ])
  expect(log.of('s1')).toBe(log.of('s1'))
  gate.resolve({ answer: { kind: 'tool', value: { content: [] } }, text: '{}' })
  await first.settled
  expect(log.of('s1').map(record => record.outcome.state)).toEqual(['failed', 'answered'])
})

test('stopping a call aborts the request and keeps the record', async () => {
  const log = createCallLog()
  const { record, settled } = log.start(
    subject,
    signal => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
  )
  record.stop()
  await settled
  expect(log.get(record.id)?.outcome.state).toBe('failed')
})

test('the log keeps the newest calls within its limit and never drops a running call', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 300 }), async pattern => {
      const log = createCallLog()
      const settled: Promise<void>[] = []
      for (const runs of pattern) {
        const call = log.start(subject, () => (runs ? new Promise(() => undefined) : Promise.reject(new Error('no'))))
        if (!runs) settled.push(call.settled)
      }
      await Promise.all(settled)
      const kept = log.of('s1')
      const running = kept.filter(record => record.outcome.state === 'running').length
      expect(running).toBe(pattern.filter(Boolean).length)
      expect(kept.length).toBeLessThanOrEqual(Math.max(200, running + 1))
      expect(kept[0]?.id).toBe(String(pattern.length))
    }),
    { numRuns: 10 },
  )
})

test('an error of a tool is an answer, with the time that the service measured', async () => {
  const record = await answered({
    content: [{ type: 'text', text: 'bad\u001b[2J\nnews' }],
    isError: true,
    durationMs: 42,
  })
  expect(callLook(statusOf(record)).word).toBe('tool error')
  expect(callDuration(record)).toEqual({ ms: 42, by: 'service' })
  const text = drawn(record, record.startedAt)
  expect(text).toContain('42ms, as the service measured')
  expect(text).toContain('\nnews\n')
  expect(text).toContain('"isError": true,')
})

test('if the service measures no duration, the duration measured here is shown', async () => {
  const record = await answered({ content: [] })
  expect(callDuration(record)?.by).toBe('here')
  expect(drawn(record, record.startedAt)).toContain('measured here')
})

test('a call is shown as one that may have happened if its answer is lost, not if it was refused', async () => {
  for (const kind of ['network', 'timeout', 'invalid-response'] as const)
    expect(drawn(await failed({ kind }))).toContain('may have happened')
  const cancelled = await failed({ kind: 'aborted' })
  expect(drawn(cancelled)).toContain('until then, and whether it stopped, is not known')
  expect(callLook(statusOf(cancelled)).word).toBe('cancelled')
  expect(callLook(statusOf(await failed({ kind: 'timeout' }))).word).toBe('unknown')
  const refused = await failed({ kind: 'refused', code: 'read-only', sent: false })
  expect(callLook(statusOf(refused)).word).toBe('failed')
  expect(drawn(refused)).not.toContain('may have happened')
})

test('a JSON-RPC error is shown with code, message, data and frame, and its call is not uncertain', async () => {
  const error = { code: -32603, message: 'no such row', data: { row: 7 } }
  const frame = { jsonrpc: '2.0', id: 12, error }
  const message = 'The server "everything" answered tools/call with error -32603: no such row'
  const details = { reason: 'PROTOCOL_ERROR', protocolError: error, frame }
  const record = await failed({ kind: 'http', status: 422, code: 'FEATURE_NOT_SUPPORTED', message, details })
  expect(callLook(statusOf(record)).word).toBe('failed')
  const text = drawn(record)
  expect(text).toContain('answered tools/call with error -32603: no such row')
  expect(text).toMatch(/Error data\n[^]*"row": 7/)
  expect(text).toMatch(/As received\n[^]*"id": 12/)
  expect(text).not.toContain('may have happened')
})

test('the blocks of a result are shown as text, as type and size for binary data, or as JSON', () => {
  const line = (block: unknown) => rowsOf(blockNodes(block, 'b', look), { folding: UNFOLDED }).join('\n')
  expect(line({ type: 'text', text: 'a\nb' })).toBe('a\nb')
  expect(line({ type: 'image', mimeType: 'image/png', data: 'AAAA' })).toBe('image image/png, 3 B\nReading it…')
  expect(line({ type: 'audio', data: 'AA==' })).toBe('audio of unknown type, 1 B\nReading it…')
  expect(line({ type: 'resource', resource: { uri: 'demo:1', blob: 'AAAA', mimeType: 'x/y' } })).toBe(
    'demo:1\nblob x/y, 3 B\nReading it…',
  )
  expect(line({ type: 'resource', resource: { uri: 'demo:1', text: 'hi' } })).toBe('demo:1\nhi')
  expect(line({ type: 'resource_link', uri: 'demo:2', name: 'two' })).toBe('link to demo:2 two')
  expect(line({ type: 'novel', x: [1] })).toBe('{\n"type": "novel",\n"x": [\n1\n]\n}')
})

test('text that is JSON is laid out and folds, and is copied as received', () => {
  const text = '{"id":12345678901234567890,"rows":[{"a":1}]}'
  const laidOut = '{\n"id": 12345678901234567890,\n"rows": [\n{\n"a": 1\n}\n]\n}'
  const nodes = blockNodes({ type: 'text', text }, 'b', look)
  expect(rowsOf(nodes, { folding: UNFOLDED }).join('\n')).toBe(laidOut)
  expect(rowsOf(nodes, { folding: { all: false, except: new Map() } })).toHaveLength(1)
  expect(nodes[0]!.copy?.()).toBe(text)
  const resource = { uri: 'demo:1', mimeType: 'application/json', text }
  expect(rowsOf(blockNodes({ type: 'resource', resource }, 'b', look), { folding: UNFOLDED }).join('\n')).toBe(
    `demo:1\n${laidOut}`,
  )
  for (const other of ['[draft] a title', '{"cut":', '42', '']) {
    const [node] = blockNodes({ type: 'text', text: other }, 'b', look)
    expect(rowsOf([node!]).join('\n')).toBe(other)
  }
})

test('prompt messages and resource contents are shown with their parts', async () => {
  const prompt = await settledCall(() =>
    Promise.resolve({
      answer: { kind: 'prompt', value: { messages: [{ role: 'user', content: { type: 'text', text: 'hello' } }] } },
      text: '{"messages":[]}',
    }),
  )
  expect(drawn(prompt)).toContain('Messages\nuser\nhello')
  const nothing = { answer: { kind: 'resource' as const, value: { contents: [] } }, text: '{"contents":[]}' }
  expect(drawn(await settledCall(() => Promise.resolve(nothing)))).toContain('Contents\nnone')
})

test('for an endless text only the visible part is examined', async () => {
  const record = await answered({ content: [{ type: 'text', text: 'x'.repeat(1_000_000) }] })
  const shown = outline(callNodes(record, look, 0), AS_GIVEN)
  const longest = Array.from({ length: shown.count }, (_, line) => {
    const { entry, offset } = shown.at(line)
    return plainText(entry.lines.at(offset)).length
  })
  expect(Math.max(...longest)).toBe(10_000)
  expect(longest.reduce((sum, length) => sum + length, 0)).toBeGreaterThan(1_000_000)
})

test('text is laid out as Markdown if its type says so', async () => {
  const block = (mimeType: string | undefined, uri = 'demo:1') => ({
    type: 'resource',
    resource: { uri, mimeType, text: '**bold** &amp; `code`' },
  })
  const shown = (each: unknown) => rowsOf(blockNodes(each, 'b', look))[1]
  expect(shown(block('text/markdown'))).toBe('bold & `code`')
  expect(shown(block('text/x-markdown; charset=utf-8'))).toBe('bold & `code`')
  expect(shown(block(undefined, 'file:///README.md'))).toBe('bold & `code`')
  expect(shown(block('text/plain', 'file:///README.md'))).toBe('bold & `code`')
  expect(shown(block('text/html', 'file:///README.md'))).toBe('**bold** &amp; `code`')
  expect(shown(block('text/plain'))).toBe('**bold** &amp; `code`')
  const record = (content: Record<string, unknown>[]) => answered({ content })
  expect(hasMarkdown(await record([block('text/markdown')]))).toBe(true)
  expect(hasMarkdown(await record([block('text/plain'), { type: 'text', text: '**b**' }]))).toBe(false)
})
