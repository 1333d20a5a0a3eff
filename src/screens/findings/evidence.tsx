import { beginningOfJson } from '../../lib/json-beginning.ts'
import { isPlainObject } from '../../lib/json.ts'
import { useMemo } from 'react'
import { adviceOn, valueLabel } from '../../domain/findings/insights.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { tabsKeys } from '../../components/component-keys.ts'
import { Empty, Sentence } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { findingsKeys } from './bindings.ts'
import type { FindingRow } from './columns.ts'
import type { Insights } from './use-insights.ts'

type Item = Readonly<Record<string, unknown>>

/** Returns evidence as received: the finding's own, or what insights quote for it. */
function evidenceOf(row: FindingRow, insights: Insights['query']['data']): readonly Item[] {
  const own = row.record['evidence']
  if (Array.isArray(own) && own.length > 0) return own.map(each => (isPlainObject(each) ? each : { excerpt: each }))
  return adviceOn(insights, row)?.evidence ?? []
}

export function evidenceSessions(row: FindingRow, insights: Insights['query']['data']): ReadonlySet<string> {
  return new Set(evidenceOf(row, insights).flatMap(({ sessionId }) => (typeof sessionId === 'string' ? sessionId : [])))
}

const NAMED = new Set(['kind', 'excerpt', 'toolName', 'errorCode', 'sessionId', 'iterationId'])

/** Maximum number of characters of JSON that one value shows. */
const MOST_TEXT = 10_000

function text(value: unknown): string | undefined {
  if (value === null || value === undefined) return undefined
  return typeof value === 'string' ? value : beginningOfJson(value, MOST_TEXT).text
}

function itemLines(item: Item, index: number): Line[] {
  const facts = [
    ['tool', text(item['toolName'])],
    ['code', text(item['errorCode'])],
    ['session', text(item['sessionId'])],
    ['trial', text(item['iterationId'])],
    ...Object.entries(item).flatMap(([name, value]) => (NAMED.has(name) ? [] : [[name, text(value)]])),
  ].flatMap(([name, value]) => (value === undefined ? [] : `${name} ${value}`))
  const quote = text(item['excerpt'])
  return [
    { text: `${index + 1}. ${valueLabel(text(item['kind']) ?? 'evidence')}`, tone: 'accent' },
    ...facts.map(fact => ({ text: fact, tone: 'muted' as const, indent: 3 })),
    ...(quote === undefined ? [] : [{ text: `“${quote}”`, indent: 3 }]),
    '',
  ]
}

/** Shows the pieces of evidence in order. */
export function FindingEvidence(props: { row: FindingRow; insights: Insights; focused: boolean }) {
  const { row, insights } = props
  const key = useKeyName()
  const read = insights.query.data
  const items = useMemo(() => evidenceOf(row, read), [row, read])
  const lines = useMemo(() => {
    const total = row.record['evidenceCount']
    const more = typeof total === 'number' ? total - items.length : 0
    return [
      ...items.flatMap(itemLines),
      ...(more > 0 ? [{ text: `The service does not return ${more} further pieces.`, tone: 'muted' as const }] : []),
    ]
  }, [items, row])
  if (items.length === 0 && isReading(row, insights)) return <Sentence tone="muted" text="Reading the evidence…" />
  if (items.length === 0) {
    const sessions = `${key(tabsKeys, 'next')} to see the sessions themselves.`
    const isNever = read?.status === 'never' && row.source !== 'scenario' && !insights.isClosed
    const ask = isNever ? `${key(findingsKeys, 'insights')} to request them, or ` : ''
    return <Empty why={whyNone(row, insights)} next={`Press ${ask}${sessions}`} />
  }
  return <Viewer lines={lines} focused={props.focused} />
}

function isReading({ source }: FindingRow, { query, target, isClosed }: Insights): boolean {
  return target !== undefined && !isClosed && source !== 'scenario' && !query.problem && query.data === undefined
}

function whyNone(row: FindingRow, { query, isClosed }: Insights): string {
  if (isClosed) return 'The feature is switched off for the organization, so no evidence is read.'
  if (row.source === 'scenario') return 'The service quotes no evidence for this finding.'
  if (query.problem) return `The insights, which quote the evidence, could not be read: ${query.problem.title}.`
  if (query.data === undefined)
    return 'The service names no wave for this finding, whose insights would quote evidence.'
  if (query.data.status === 'never')
    return 'Evidence of a swarm’s finding comes with the insights of its wave, and there are none yet.'
  return `The insights of the wave are ${query.data.status} and quote no evidence for this finding.`
}
