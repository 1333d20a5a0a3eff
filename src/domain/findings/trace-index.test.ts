import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../api/client/client.ts'
import { createTraceIndex, SESSIONS_A_PAGE } from './trace-index.ts'

type Query = { cursor?: string; limit: number; includeContent?: boolean }

const span = (index: number, said: boolean) => ({
  traceId: `t${index}`,
  spanId: `s${index}`,
  startTimeUnixNano: '1',
  endTimeUnixNano: '2',
  attributes: [
    { key: 'session.id', value: { stringValue: `ses_${index}` } },
    { key: 'gen_ai.conversation.id', value: { stringValue: `cht_${index}` } },
    ...(said
      ? [
          {
            key: 'gen_ai.input.messages',
            value: { stringValue: JSON.stringify([{ role: 'user', content: `said in ${index}` }]) },
          },
        ]
      : []),
  ],
})

/** Creates an export of this many sessions, with cursors to the next page. A limit of 1 returns `a` sessions. */
function exportOf(count: { sessions: number }, { a = 1 } = {}) {
  const asked: Query[] = []
  const otlp = async (query: Query) => {
    asked.push(query)
    const begin = Number(query.cursor ?? 0)
    const end = Math.min(count.sessions, begin + query.limit * a)
    const spans = Array.from({ length: end - begin }, (_, index) => span(begin + index, query.includeContent === true))
    return { resourceSpans: [{ scopeSpans: [{ spans }] }], ...(end < count.sessions && { nextCursor: String(end) }) }
  }
  const client = { traceExports: { otlp } } as unknown as Pick<Client, 'traceExports'>
  return { asked, index: createTraceIndex(client, 'p') }
}

const options = () => ({ signal: new AbortController().signal, onProgress: (_searched: number) => undefined })
const said = (index: number) => [{ role: 'user', content: `said in ${index}` }]

test('an opened session is read from an export without reading the content of other sessions', async () => {
  const positions = fc.integer({ min: 0, max: 699 })
  await fc.assert(
    fc.asyncProperty(fc.array(positions, { minLength: 1, maxLength: 6 }), async wanted => {
      const { asked, index } = exportOf({ sessions: 700 })
      for (const each of wanted) {
        const found = await index.read([`cht_${each}`, 'other'], options())
        expect(found.messages).toMatchObject(said(each))
      }
      const withContent = asked.filter(({ includeContent }) => includeContent)
      expect(withContent).toHaveLength(wanted.length)
      expect(withContent.every(({ limit }) => limit === 1)).toBe(true)
      // Positions are searched for only once: at most four pages, and two requests for each session.
      expect(asked.length).toBeLessThanOrEqual(4 + 2 * wanted.length)
    }),
    { numRuns: 40 },
  )
})

test('a search in an export reports progress and missing sessions, and finds later ones', async () => {
  const count = { sessions: 450 }
  const { index } = exportOf(count)
  const progress: number[] = []
  const missing = await index.read(['ses_460'], { ...options(), onProgress: searched => progress.push(searched) })
  expect(missing).toMatchObject({ messages: undefined, isWhole: true })
  expect(progress).toEqual([SESSIONS_A_PAGE, 2 * SESSIONS_A_PAGE, 450])
  count.sessions = 470
  expect((await index.read(['ses_460'], options())).messages).toMatchObject(said(460))
})

test('whole pages are read from a service whose limit does not count sessions', async () => {
  const { index } = exportOf({ sessions: 500 }, { a: 0.5 })
  expect((await index.read(['ses_33'], options())).messages).toMatchObject(said(33))
})

test('a search reports if it did not reach the end of an export, and the next search continues there', async () => {
  const { index } = exportOf({ sessions: 5_000 })
  expect(await index.read(['ses_4900'], options())).toMatchObject({
    messages: undefined,
    isWhole: false,
    searched: 4_000,
  })
  expect((await index.read(['ses_4900'], options())).messages).toMatchObject(said(4_900))
})
