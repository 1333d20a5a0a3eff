import { contract } from '../../api/contract/contract.ts'
import { SHIFT_HOURS, shiftReport } from '../../domain/now/shift-report.ts'
import { changesOf, isRed, type NowSummary } from '../../domain/now/summary.ts'
import { placeOfNow } from '../../app/places.ts'
import { screens } from '../../app/registry.ts'
import { notebookOf } from '../../hooks/use-notebook.ts'
import { nowMemoryOf } from '../../hooks/use-now-memory.ts'
import { systemClock } from '../../lib/clock.ts'
import { localClock } from '../../lib/times.ts'
import { jsonText } from '../../lib/printable.ts'
import { nowStateLabel } from '../../domain/now/view.ts'
import { clearState, coverageLabel } from '../../domain/now/sources.ts'
import { summaryOfNow, createNow, type NowData, type NowFacts } from '../../domain/now/now.ts'
import { formatLocator, type Place } from '../../tui/router/place.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { projectNamed } from '../workspace/project-choice.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { tableLines, tableWidth } from '../nouns/table.ts'
import type { NounColumn } from '../nouns/noun.ts'
import { writeNamed } from '../notebook/notebook-command.ts'
import { openOutput } from '../output/output.ts'
import { say } from '../output/prose.ts'
import { ownTexts } from '../output/redaction.ts'
import { EXIT } from '../process/exit-codes.ts'
import { interruptedCode, listenForInterrupt } from '../process/interrupt.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import type { QueryClient } from '@tanstack/react-query'
import { createPollingClient } from '../../api/client/cache/query-client.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { createNowReads, nowSources } from '../../hooks/now-reads.ts'
import type { Workspace } from '../../hooks/workspace.tsx'

export type NowOptions = {
  json?: boolean
  watch?: boolean
  timeout?: number
  /** File of a shift report; true for standard output. */
  report?: string | true
  since?: number
  force?: boolean
}

/** A snapshot with its summary, and for each line a text that changes when it should be reported again. */
export type SeenNow = { look: NowLook; summary: NowSummary; marks: ReadonlyMap<string, string> }

/** Minimum time between two reports of changes, in milliseconds. */
const REPORT_MS = 1_000

const HOUR_MS = 60 * 60_000
const ROUTES = screens.map(({ route }) => route)
const locatorIn = (profile: string) => (place: Place) => formatLocator(ROUTES, profile, place)

const EXIT_OF = { red: EXIT.failedVerdict, clear: EXIT.done, unknown: EXIT.noVerdict } as const

/** Runs `mcpdeck now`: prints what is waiting in all projects; resolves to the exit code. */
export async function runNow(context: SavedContext, _words: readonly string[], own: NowOptions): Promise<number> {
  checkOptions(own)
  const { workspace, filled } = context.saved.opened
  const output = openOutput()
  const interruption = listenForInterrupt()
  const interrupt = AbortSignal.any([interruption.signal, output.signal])
  const over = Promise.withResolvers<void>()
  const ended = new AbortController()
  void over.promise.then(() => ended.abort())
  interrupt.addEventListener('abort', () => over.resolve())
  const cancel = own.timeout === undefined ? undefined : systemClock.after(own.timeout, over.resolve)
  let seen: SeenNow | undefined
  const watch = own.watch
    ? createReports({ json: own.json ?? false, write: text => void output.write(text) })
    : undefined
  let stop: (() => Promise<void>) | undefined
  try {
    const projects = await wantedProjects(context, ended.signal)
    // An empty workspace that is being filled does not count as clear.
    await Promise.race([over.promise, filled().catch(() => undefined)])
    stop = lookAtNow(workspace, projects, look => {
      seen = seenOf(look, workspace.profile.name)
      if (watch) watch.add(seen)
      else if (isOver(seen)) over.resolve()
    })
    await over.promise
  } catch (error) {
    if (!ended.signal.aborted) throw error
  } finally {
    cancel?.()
    watch?.end()
    await stop?.()
    interruption.stop()
  }
  if (interrupt.aborted) return interruptedCode(interrupt)
  if (!seen) {
    say('Nothing was read within the time given.')
    return EXIT.noVerdict
  }
  if (own.report !== undefined) await writeReport(context, own, seen.summary, text => output.write(text))
  else if (!watch) {
    await output.write(
      own.json ? `${jsonText(seen.summary)}\n` : tableText(seen.summary, context.common.ascii ?? false),
    )
    if (!own.json) sayRest(seen, workspace.profile.local)
  }
  return EXIT_OF[seen.summary.state]
}

/** @throws UsageError for options that make no sense together */
function checkOptions({ json, watch, report, since, force }: NowOptions): void {
  if (report !== undefined && (json || watch)) throw new UsageError('--report excludes --json and --watch.')
  if (report === undefined && (since !== undefined || force))
    throw new UsageError('--since and --force are of --report.')
}

/** Writes the shift report. @throws UsageError if the file exists, or cannot be written */
async function writeReport(
  { saved: { opened, settings } }: SavedContext,
  { report, since = SHIFT_HOURS * HOUR_MS, force = false }: NowOptions,
  summary: NowSummary,
  print: (text: string) => Promise<void>,
): Promise<void> {
  const { profile } = settings
  const from = summary.at - since
  const notebook = notebookOf(opened.workspace)
  const text = await shiftReport(
    {
      from,
      summary,
      writes: await opened.journal.since(from),
      acknowledged: nowMemoryOf(opened.workspace).kept().acknowledged,
      incidents: notebook.incidents(),
    },
    { locator: locatorIn(profile.name), now: summary.at, ...ownTexts(settings) },
  )
  if (report === true || report === undefined) return await print(text)
  writeNamed(report, text, force)
}

/** Returns the ids of the named projects; undefined if none are named. */
async function wantedProjects(
  { client, common }: SavedContext,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const { projects: names = [] } = common
  if (names.length === 0) return undefined
  const all = await client.items(contract.projects.list, {}, { signal })
  return names.map(name => projectNamed(all, name).id)
}

export function seenOf(look: NowLook, profile: string): SeenNow {
  const { data, kept } = look
  const summary = summaryOfNow(data, { kept, placeOf: placeOfNow, locator: locatorIn(profile), profile })
  // An item that was not read yet keeps the fingerprint of its failure, since acknowledging it is permanent.
  const marks = new Map(data.lines.map(line => [line.key, `${isRed(line) ? 'red ' : ''}${line.fingerprint}`]))
  return { look, summary, marks }
}

/** Whether every read has an answer or a failure. */
export function isOver({ summary: { read }, look: { data } }: SeenNow): boolean {
  return read.reading === 0 && (data.all !== undefined || read.missing.length > 0)
}

const COLUMNS: readonly NounColumn[] = [
  { title: 'URGENCY', path: 'urgency' },
  { title: 'STATE', path: 'state' },
  { title: 'SINCE', path: 'since', as: 'time' },
  { title: 'PROJECT', path: 'project.name' },
  { title: 'SUBJECT', path: 'says' },
]

function tableText({ items }: NowSummary, ascii: boolean): string {
  if (items.length === 0) return ''
  const rows = items.map(item => ({ ...item, urgency: urgencyLabel(item), state: stateLabel(item) }))
  return `${tableLines(COLUMNS, rows, { width: tableWidth(), ascii }).join('\n')}\n`
}

type SummaryItem = NowSummary['items'][number]

function urgencyLabel({ red, urgency, acknowledged }: SummaryItem): string {
  return [urgency, ...(red ? ['red'] : []), ...(acknowledged ? ['acknowledged'] : [])].join(', ')
}

function stateLabel(item: SummaryItem): string {
  return nowStateLabel({ ...item, word: item.state })
}

/** Says which projects the lines cover. */
function sayRest({ look: { data }, summary: { items } }: SeenNow, isLocal: boolean): void {
  const projects = plural(data.projects.length, 'project')
  const now = Date.now()
  if (items.length > 0) return say(coverageLabel(data.sources, projects, now).text)
  const { why, next } = clearState(data.sources, { projects, isLocal }, now)
  say(`${why} ${next}`)
}

/** Reports changes: a line for each change, or the whole as one object. */
export function createReports({ json, write }: { json: boolean; write: (text: string) => void }) {
  let told: SeenNow | undefined
  let latest: SeenNow | undefined
  let timer: NodeJS.Timeout | undefined
  const report = (): void => {
    timer = undefined
    if (!latest || (told && isSame(told, latest))) return
    write(json ? `${jsonText(latest.summary)}\n` : changeText(told, latest))
    told = latest
    timer = setTimeout(report, REPORT_MS)
  }
  return {
    add(seen: SeenNow) {
      latest = seen
      if (timer === undefined) report()
    },
    /** Reports all changes that are still pending. */
    end() {
      clearTimeout(timer)
      report()
      clearTimeout(timer)
    },
  }
}

function isSame(one: SeenNow, other: SeenNow): boolean {
  return textOf(one) === textOf(other)
}

/** Returns everything in a snapshot that is worth a report, without ages and progress. */
function textOf({ summary: { state, read, items }, marks }: SeenNow): string {
  const each = items.map(({ key, acknowledged }) => [key, marks.get(key), acknowledged])
  return JSON.stringify([state, read.whole, read.missing, read.closed, each])
}

function changeText(before: SeenNow | undefined, after: SeenNow): string {
  const time = localClock(after.summary.at, 'seconds')
  const lines = changesOf(before, after).map(({ what, item }) => {
    const project = item.project ? ` (${item.project.name})` : ''
    // Items that existed before the first complete read are not new.
    const word = what === 'new' && !before?.summary.read.whole ? 'found' : what
    return `${word} ${urgencyLabel(item)} ${stateLabel(item)}: ${item.says}${project}`
  })
  const { state, counts, read } = after.summary
  const isOther = before?.summary.state !== state || before.summary.read.whole !== read.whole
  const whole = read.whole ? '' : `, ${read.reading} being read, ${read.missing.length} not read`
  if (isOther) lines.push(`${state}: ${counts.red} red of ${plural(counts.lines, 'line')}${whole}`)
  return lines.map(line => `${time} ${clean(line)}\n`).join('')
}

/** The state of Now at a moment. */
export type NowLook = { data: NowData; kept: StoredNow }

/** Milliseconds between updates of the clock and of the acknowledgements and writes of other processes. */
const REFRESH_MS = 10_000
const MINUTE_MS = 60_000

/**
 * Reads what the screen Now reads, by the same plan and within the same budget, without drawing.
 * @param projects ids of the projects; by default those that the person chose on Now
 * @returns a function that ends it, including the reads in progress
 */
export function lookAtNow(
  workspace: Workspace,
  projects: readonly string[] | undefined,
  onLook: (look: NowLook) => void,
  queryClient: QueryClient = createPollingClient(),
): () => Promise<void> {
  const { budget, journal, waves } = workspace
  const memory = nowMemoryOf(workspace)
  const lookAt = createNow(nowSources(workspace, queryClient))
  const reads = createNowReads(queryClient, budget)
  let now = Date.now()
  let writes: NowFacts['writes'] = { data: undefined, at: undefined, error: null }
  let next: NodeJS.Immediate | undefined
  let noted = '[]'
  const look = (): void => {
    next = undefined
    const own = memory.kept()
    const kept = projects ? { ...own, projects } : own
    const { pausedUntil } = budget.snapshot()
    const facts = { kept, now, projectId: undefined, known: waves?.all() ?? new Map(), writes, pausedUntil }
    const { seen, plan } = reads.look(reader => lookAt(reader, facts))
    const { news, ...data } = seen
    reads.carryOut(plan, budget.snapshot())
    const marks = JSON.stringify(news)
    // New notes change the result, so it is computed again.
    if (marks !== noted) for (const { id, runs } of news) waves?.see(id, runs)
    noted = marks
    onLook({ data, kept: own })
  }
  // Changes in the same moment are handled together.
  const soon = (): void => void (next ??= setImmediate(look))
  const readWrites = async (): Promise<void> => {
    try {
      writes = { data: (await journal?.unresolved()) ?? [], at: Date.now(), error: null }
    } catch (error) {
      writes = { ...writes, error: error as Error }
    }
    soon()
  }
  let pause: number | undefined
  const readPause = (): void => {
    const { pausedUntil } = budget.snapshot()
    const seconds = pausedUntil && Math.ceil((pausedUntil - Date.now()) / 1_000)
    if (seconds !== pause) soon()
    pause = seconds
  }
  const refresh = (): void => {
    if (Math.floor(now / MINUTE_MS) !== Math.floor(Date.now() / MINUTE_MS)) now = Date.now()
    memory.refresh()
    if (journal) void readWrites()
    else soon()
  }
  const ends = [
    reads.begin(),
    reads.subscribe(soon),
    memory.subscribe(soon),
    waves?.subscribe(soon),
    journal?.subscribe(() => void readWrites()),
    budget.subscribe(readPause),
    budget.startPolling(),
  ]
  look()
  refresh()
  // The timer also keeps the process alive between two reads.
  const timer = setInterval(refresh, REFRESH_MS)
  return async () => {
    clearInterval(timer)
    for (const end of ends) end?.()
    clearImmediate(next)
    // A read that ends after its query was removed would keep the process alive with the timer for unused queries.
    await queryClient.cancelQueries()
    queryClient.clear()
  }
}
