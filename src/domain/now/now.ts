import { connectionFault, type ConnectionFault } from '../../api/client/errors/api-error.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import type { Project } from '../../api/contract/projects.ts'
import { firstOfEach } from '../../lib/first-of-each.ts'
import { plural } from '../../lib/format.ts'
import { onceFor, renewed } from '../../lib/once-for.ts'
import type { KnownRuns, RunInWave } from '../swarms/waves.ts'
import { createFindingReads } from './finding-reads.ts'
import type { NowLine, NowProject, NowTarget } from './line.ts'
import type { StoredNow } from './memory.ts'
import { isAcknowledged, orderLines } from './order.ts'
import { MOST_READ } from './plan.ts'
import { type NowAnswer, type NowReader, type NowSources, readIn } from './reads.ts'
import { connectionLine, rateLine, writeLines } from './request-lines.ts'
import { createRunReads } from './run-reads.ts'
import { hasMore, type NowSource, sourceName, sourceOf, stateOf } from './sources.ts'
import { type NowSummary, summaryOf, type SummarySource } from './summary.ts'
import { serverLines } from './thing-lines.ts'
import { createWaveReads } from './wave-reads.ts'
import { worthOf } from './worth.ts'

export type NowData = {
  lines: readonly NowLine[]
  sources: readonly NowSource[]
  /** All projects that the key can access, once known. */
  all: readonly Project[] | undefined
  projects: readonly NowProject[]
}

/** Facts in addition to the answers of the service. */
export type NowFacts = {
  kept: StoredNow
  /** Epoch milliseconds, updated every minute. */
  now: number
  /** The project that the person used last. */
  projectId: string | undefined
  /** Journey runs that this machine knows, by project. */
  known: ReadonlyMap<string, KnownRuns>
  /** Writes whose outcome is unknown. */
  writes: { data: readonly JournalEntry[] | undefined; at: number | undefined; error: Error | null }
  /** Epoch milliseconds until which the service wants no requests. */
  pausedUntil: number | undefined
}

/**
 * Builds everything that Now shows. Each call requests the reads of its plan and builds lines from the answers so far.
 * Unchanged parts are reused, so that a call with hundreds of suites takes little time.
 */
export function createNow(of: NowSources) {
  const { queries, serviceTime } = of
  const ofProjects = [queries.projects.list.options({})]
  const suitesOf = onceFor(({ id }: Project) => queries.suites.list.options({ projectId: id }))
  const rightsOf = onceFor(({ id }: Project) => queries.projects.capabilities.options({ projectId: id }))
  const [readFindings, readRuns, readWaves] = [createFindingReads(of), createRunReads(of), createWaveReads(of)]
  const keepProjects = renewed<ReturnType<typeof chosenOf>>()
  const [keepWritten, keepExamined] = [renewed<NowLine[]>(), renewed<NowLine[]>()]
  const keepSame = createSame<NowLine>()
  return (
    reader: NowReader,
    facts: NowFacts,
  ): NowData & { news: readonly { id: string; runs: readonly RunInWave[] }[] } => {
    const { now, known, writes } = facts
    const { projects: ids, checks } = facts.kept
    const [listed] = reader.read('projects', ofProjects)
    const all = listed?.data?.items
    const { first: projects, left } = keepProjects([all, ids], () => chosenOf(all, ids))
    const readEach = projects.map(readIn)
    const suites = reader.read('suites', projects.map(suitesOf), readEach)
    reader.rank(
      worthOf(
        projects.map((project, index) => ({ project, suites: suites[index]?.data?.items })),
        facts.projectId,
        serviceTime(now),
      ),
    )
    const rights = reader.read('rights', projects.map(rightsOf), readEach)
    const findings = readFindings(reader, projects, rights)
    const runs = readRuns(reader, projects, suites, serviceTime(now))
    const waves = readWaves(reader, projects, rights, { known, now: serviceTime(now) })
    const answers = [listed, ...rights, ...suites, ...findings.answers, ...runs.answers, ...waves.answers]
    const written = keepWritten([projects, writes.data, writes.at, now], () =>
      writeLines(projects, { value: writes.data ?? [], at: writes.at }, now, of.writeSentence),
    )
    const examined = keepExamined([projects, checks, now], () => serverLines(projects, checks.values(), now))
    const answeredAt = latest(answers)
    const lines = keepSame([
      ...connectionLine(faultOf(answers, answeredAt), answeredAt, of.host),
      ...rateLine(facts.pausedUntil, Date.now()),
      ...written,
      ...examined,
      ...runs.lines,
      ...waves.lines,
      ...findings.lines,
    ])
    const sources: NowSource[] = [
      {
        ...sourceOf('projects', listed, undefined, undefined, left > 0 || hasMore(listed?.data)),
        ...unreached(all, ids),
      },
      ...suites.map((answer, index) => sourceOf('suites', answer, projects[index])),
      ...runs.sources,
      ...waves.sources,
      ...findings.sources,
      // The rights come last, because nobody waits for them.
      ...rights.map((answer, index) => sourceOf('rights', answer, projects[index])),
      ...(writes.error ? [sourceOf('writes', { ...writes, at: undefined }, undefined)] : []),
    ]
    return { lines, sources, all, projects, news: waves.news }
  }
}

/** Returns the previous list as long as all of its items are the same, so that nothing is derived again. */
function createSame<T>() {
  let last: readonly T[] = []
  return (items: readonly T[]): readonly T[] => {
    if (items.length !== last.length || items.some((item, index) => item !== last[index])) last = items
    return last
  }
}

function chosenOf(all: readonly Project[] | undefined, ids: readonly string[] | undefined) {
  const wanted = ids && new Set(ids)
  const chosen = (all ?? []).filter(({ id }) => !wanted || wanted.has(id))
  return firstOfEach(chosen, ({ id }) => id, MOST_READ.projects)
}

/** Returns chosen projects that the key cannot access. Nothing is known of them, so Now is never clear. */
function unreached(
  all: readonly Project[] | undefined,
  ids: readonly string[] | undefined,
): Pick<NowSource, 'unproven'> {
  const reached = new Set(all?.map(({ id }) => id))
  const lost = all && ids?.filter(id => !reached.has(id)).length
  return lost ? { unproven: `this key does not reach ${plural(lost, 'chosen project')}; choose projects again` } : {}
}

type Answers = readonly (NowAnswer<unknown> | undefined)[]

/** Returns why no answer has arrived since the last one. A service that fails one read may still answer others. */
function faultOf(answers: Answers, answeredAt = 0): ConnectionFault | undefined {
  let first: ConnectionFault | undefined
  let isAnswered = false
  for (const answer of answers) {
    if (!answer) continue
    const fault = (answer.failedAt ?? 0) >= answeredAt ? connectionFault(answer.error) : undefined
    if (fault !== undefined && fault !== 'unavailable') return fault
    if (fault === undefined) isAnswered = true
    first ??= fault
  }
  return isAnswered ? undefined : first
}

/** Without a list of the times: each look goes over more than a thousand answers. */
function latest(answers: Answers): number | undefined {
  let last: number | undefined
  for (const answer of answers) if (answer?.at !== undefined) last = Math.max(last ?? answer.at, answer.at)
  return last
}

/** Returns a summary of Now at this moment, with the address that each line leads to. */
export function summaryOfNow<Place>(
  data: NowData,
  given: {
    kept: StoredNow
    placeOf: (target: NowTarget) => Place | undefined
    locator: (place: Place) => string
    profile: string
  },
): NowSummary {
  return summaryOf({
    lines: orderLines(data.lines),
    sources: data.sources.map(summarized),
    projects: data.all && data.projects.length,
    isAcknowledged: line => isAcknowledged(line, given.kept),
    placeOf({ target }) {
      const place = given.placeOf(target)
      return place && given.locator(place)
    },
    profile: given.profile,
    now: Date.now(),
  })
}

function summarized(source: NowSource): SummarySource {
  const { at, problem, partial, unproven } = source
  const why = problem?.title ?? unproven ?? (partial ? 'there is more than was read' : undefined)
  return { what: sourceName(source), state: stateOf(source), at, why }
}
