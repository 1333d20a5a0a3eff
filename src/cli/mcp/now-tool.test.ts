import { expect, test } from 'vitest'
import type { NowSummary } from '../../domain/now/summary.ts'
import { nowTool, pageOfNow } from './now-tool.ts'
import type { Reader } from './reader.ts'

const MINUTE_MS = 60_000

function summary(name: string, at = Date.now()): NowSummary {
  const items = Array.from({ length: 200 }, (_, line) => ({
    key: `${name} ${line}`,
    kind: 'suite' as const,
    state: 'failed',
    urgency: 'now' as const,
    red: true,
    acknowledged: false,
    says: `${name} failed ${line}`,
    project: null,
    since: null,
    readAt: null,
    place: `mcpdeck://p/projects/p1/runs?suiteId=${line}`,
  }))
  const read = { projects: 1, whole: true, reading: 0, missing: [], closed: [], oldestAt: at }
  const counts = { red: 200, lines: 200, acknowledged: 0 }
  return { version: 1, at, profile: 'p', state: 'red', counts, read, items: items as unknown as NowSummary['items'] }
}

test('pages of Now are of one read, which another read does not replace', async () => {
  const reader = { own: {} }
  const look = (name: string, at?: number) => async () => await Promise.resolve(summary(name, at))
  const first = await pageOfNow(reader, { project: 'a' }, look('A'))
  const other = await pageOfNow(reader, { project: 'b' }, look('B'))
  const keys: unknown[] = []
  let page = first
  for (;;) {
    keys.push(...(page.data as NowSummary).items.map(({ key }) => key))
    if (page.next === undefined) break
    page = await pageOfNow(reader, { cursor: page.next }, look('C'))
  }
  expect(keys).toEqual(summary('A').items.map(({ key }) => key))
  const wrong = pageOfNow(reader, { project: 'a', cursor: other.next }, look('C'))
  await expect(wrong).rejects.toThrow('of other projects')
  const old = await pageOfNow(reader, {}, look('D', Date.now() - 11 * MINUTE_MS))
  await expect(pageOfNow(reader, { cursor: old.next }, look('C'))).rejects.toThrow('not kept any more')
  await expect(pageOfNow({ own: {} }, { cursor: first.next }, look('C'))).rejects.toThrow('not kept any more')
})

test('what is cut of the facts of Now is named', async () => {
  const missing = Array.from({ length: 60 }, (_, at) => ({ what: `read ${at} ${'x'.repeat(300)}`, why: 'no answer' }))
  const whole = summary('A')
  const look = async () => await Promise.resolve({ ...whole, read: { ...whole.read, missing } })
  const { about, cut } = await pageOfNow({ own: {} }, {}, look)
  expect(cut).toContain('/read/missing')
  expect(about).toContain('Some of it is cut.')
})

test('a call that ends while the workspace is still being filled reads nothing', async () => {
  const over = new AbortController()
  const filled = async (): Promise<void> => {
    over.abort()
    await new Promise(() => undefined)
  }
  const reader = { own: {}, filled } as unknown as Reader
  const read = nowTool.read(reader, {}, { signal: over.signal, progress: () => undefined })
  await expect(read).rejects.toThrow('aborted')
})
