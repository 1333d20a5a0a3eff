import { useMemo, type ReactNode } from 'react'
import { textAt } from '../../domain/findings/finding.ts'
import { valueLabel } from '../../domain/findings/insights.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { Empty, PaneState, Sentence } from '../../components/pane-state.tsx'
import type { Field } from '../../components/lines.ts'
import { useSize } from '../../components/size.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { findingsRoute } from '../findings/route.ts'
import { visitFindingsKeys } from './bindings.ts'
import { documentView, fieldLabel, foldedField, isFolded, settingLabel, type DocumentLook } from './open-lines.ts'
import type { TabProps } from './tab.ts'
import { isPlainObject } from '../../lib/json.ts'

const NOBODY = { why: 'No visitor has opened a session yet.', next: 'Figures appear with the first one.' }

/** Shows gated content while the feature is on; otherwise a sentence that helps, without requests. */
export function Gated(props: { closed: string | undefined; children: ReactNode }) {
  const { profile } = useWorkspace()
  if (props.closed === undefined) return props.children
  return (
    <>
      <Sentence tone="warn" text={props.closed} />
      <Sentence tone="muted" text={openGateSentence(profile.local)} />
    </>
  )
}

/** Returns what to do about a closed gate. */
export function openGateSentence(isLocal: boolean): string {
  const how = isLocal
    ? 'Here it is switched on by: mcpdeck serve gate user-testing on.'
    : 'An owner of the organization can have it switched on.'
  return `${how} Unpublishing still works.`
}

/** Whether the numbers cover everything, according to the document. */
export function scanLines(document: Readonly<Record<string, unknown>>): Line[] {
  const scan = isPlainObject(document['scan']) ? document['scan'] : undefined
  const { sessions, totalSessions } = scan ?? {}
  if (scan?.['truncated'] === true) {
    const part =
      typeof sessions === 'number' && typeof totalSessions === 'number'
        ? `the newest ${sessions} of ${totalSessions} sessions`
        : 'recent sessions'
    return [{ text: `! These numbers cover ${part} only.`, tone: 'warn' }, '']
  }
  if (scan?.['truncated'] === false) return [{ text: 'These numbers cover all sessions.', tone: 'muted' }, '']
  return [{ text: 'The service does not report whether these numbers cover all sessions.', tone: 'muted' }, '']
}

/** Shows a document of any shape; not found means that nobody has visited yet. */
function OpenDocument(props: {
  query: ApiQuery<OpenRecord>
  loading: string
  focused: boolean
  /** Parts of it with their own text, shown above the rest. */
  before: (document: OpenRecord, look: DocumentLook) => Part
}) {
  const { query, before } = props
  const { symbols } = useTheme()
  const { width } = useSize()
  const { lines, rest } = useMemo(() => {
    if (!query.data) return { lines: [], rest: [] }
    const look = { symbols, now: serviceNow(), width: width - 2 }
    const first = before(query.data, look)
    const below = documentView(first.left, look)
    return { lines: [...first.lines, ...below.lines], rest: [...(first.rest ?? []), ...below.rest] }
  }, [query.data, before, symbols, width])
  if (query.error?.status === 404 && !query.hasData) return <Empty {...NOBODY} />
  return (
    <PaneState data={query} loading={props.loading}>
      <Viewer lines={lines} rest={rest} focused={props.focused} />
    </PaneState>
  )
}

type OpenRecord = Readonly<Record<string, unknown>>

/** The parts of a document with their own text; `left` has the others, `rest` is folded at the end. */
type Part = { lines: Line[]; rest?: Field[]; left: OpenRecord }

/** Returns what the figures cover, above the figures. */
function figuresOf(document: OpenRecord): Part {
  const { scan: _scan, ...left } = document
  return { lines: scanLines(document), left }
}

/** Returns each signal in words, with all its fields. A value that is not a list of records is kept whole. */
export function signalsOf(document: OpenRecord, look: DocumentLook): Part {
  const { signals, ...left } = document
  if (!Array.isArray(signals) || !signals.every(isPlainObject)) return { lines: [], left: document }
  if (signals.length === 0) return { lines: [{ text: 'No signal was found in this window.', tone: 'muted' }, ''], left }
  const views = signals.map(signal => signalView(signal, look))
  return { lines: [...views.flatMap(({ lines }) => lines), ''], rest: views.flatMap(({ rest }) => rest), left }
}

/** Number of quotes of a signal shown first. */
const FIRST_QUOTES = 2

/** Returns how often a signal was seen and two quotes, then its other fields, such as its subject. */
function signalView(signal: OpenRecord, look: DocumentLook): { lines: Line[]; rest: Field[] } {
  const { kind, count, sessionCount } = signal
  const title = textAt(signal, 'title')
  const times = typeof count === 'number' ? plural(count, 'time') : undefined
  const sessions = typeof sessionCount === 'number' ? `in ${plural(sessionCount, 'session')}` : undefined
  const kindWords = typeof kind === 'string' ? valueLabel(kind) : undefined
  const often = [times, sessions].filter(Boolean).join(' ')
  const words = [kindWords, often].filter(Boolean).join(` ${look.symbols.bullet} `)
  const { quotes, rest, left: evidence } = quotesOf(signal['evidence'], look)
  const inWords = { title, kind: kindWords, count: times, sessionCount: sessions }
  const others = Object.entries(signal).filter(
    ([name]) => name !== 'evidence' && (inWords as Record<string, unknown>)[name] === undefined,
  )
  const left = { ...Object.fromEntries(others), ...(evidence !== undefined && { evidence }) }
  const below = documentView(left, look, { name: title, depth: 1 })
  return {
    lines: [
      title ?? 'A signal',
      ...(words === '' ? [] : [{ text: words, tone: 'muted' as const, indent: 2 }]),
      ...quotes.flatMap(({ text, fields }): Line[] => [
        { text: `“${text}”`, indent: 2 },
        ...(fields.size === 0 ? [] : [{ text: [...fields].join(', '), tone: 'muted' as const, indent: 4 }]),
      ]),
      ...below.lines,
    ],
    rest: [...rest, ...below.rest],
  }
}

type Quote = { text: string; fields: Set<string> }

/** Returns the first quotes with their other fields, their ids folded at the end, and all other evidence. */
function quotesOf(evidence: unknown, { now }: DocumentLook): { quotes: Quote[]; rest: Field[]; left: unknown } {
  if (!Array.isArray(evidence)) return { quotes: [], rest: [], left: evidence }
  const quotes = new Map<string, Quote>()
  const rest: Field[] = []
  const left = evidence.filter((each: unknown) => {
    const text = isPlainObject(each) ? textAt(each, 'excerpt') : undefined
    if (!isPlainObject(each) || text === undefined) return true
    const fields = Object.entries(each).filter(([name]) => name !== 'excerpt')
    const isShort = fields.every(([, value]) => typeof value !== 'object' || value === null)
    if (!isShort || (!quotes.has(text) && quotes.size >= FIRST_QUOTES)) return true
    const quote = quotes.get(text) ?? { text, fields: new Set() }
    quotes.set(text, quote)
    for (const [name, value] of fields)
      if (isFolded([name, value])) rest.push(foldedField(name, String(value), `“${text}”`))
      else quote.fields.add(`${fieldLabel(name)} ${settingLabel(name, value, now)}`)
    return false
  })
  return { quotes: [...quotes.values()], rest, left: left.length === 0 ? undefined : left }
}

export function Metrics(props: TabProps) {
  const { queries } = useWorkspace()
  const query = useApiQuery(queries.userTestingInsights.metrics.options(props.input))
  return <OpenDocument query={query} loading="Reading the metrics…" focused={props.focused} before={figuresOf} />
}

export function Usage(props: TabProps) {
  const { queries } = useWorkspace()
  const query = useApiQuery(queries.userTestingInsights.usage.options(props.input))
  return <OpenDocument query={query} loading="Reading the usage…" focused={props.focused} before={figuresOf} />
}

export function Signals(props: TabProps) {
  const { queries } = useWorkspace()
  const query = useApiQuery(queries.userTestingInsights.signals.options(props.input))
  return <OpenDocument query={query} loading="Reading the signals…" focused={props.focused} before={signalsOf} />
}

const NO_FINDINGS = {
  why: 'The windows of this scenario have no findings.',
  next: 'Findings are made from signals when a window of sessions is analyzed.',
}

/** Shows the findings in the scenario's own windows; they are triaged on the findings screen. */
export function Findings(props: TabProps) {
  const { queries } = useWorkspace()
  const { symbols } = useTheme()
  const router = useRouter()
  useBindings(
    visitFindingsKeys,
    { triage: () => router.go(findingsRoute.to({ projectId: props.input.projectId, source: 'scenario' })) },
    { active: props.focused },
  )
  const query = useApiQuery(queries.userTestingFindings.list.options(props.input))
  const lines = useMemo(
    () => (query.data?.items ?? []).flatMap(finding => findingLines(finding, symbols.bullet)),
    [query.data, symbols],
  )
  return (
    <PaneState
      data={query}
      loading="Reading the findings…"
      empty={query.data?.items.length === 0 ? NO_FINDINGS : undefined}
    >
      <Viewer lines={lines} focused={props.focused} />
    </PaneState>
  )
}

/** Returns `regressed · repeated question · 3 times` below the title, as far as the document says. */
export function findingLines(finding: Readonly<Record<string, unknown>>, bullet: string): Line[] {
  const text = (name: string): string | undefined => {
    const value = finding[name]
    return typeof value === 'string' ? value : undefined
  }
  const count = finding['occurrenceCount'] ?? finding['occurrences']
  const dimension = text('dimension')
  const dismissed = finding['dismissedAt'] != null
  const parts = [
    text('status'),
    dismissed ? 'dismissed' : undefined,
    dimension && valueLabel(dimension),
    typeof count === 'number' ? plural(count, 'time') : undefined,
  ]
  return [
    { text: text('title') ?? text('id') ?? 'A finding', tone: dismissed ? 'muted' : 'plain' },
    { text: parts.filter(Boolean).join(` ${bullet} `), tone: 'muted', indent: 2 },
  ]
}
