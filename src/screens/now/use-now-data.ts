import { useMemo, useRef, useState } from 'react'
import { connectionFault, type ConnectionFault } from '../../api/client/errors/api-error.ts'
import type { Project } from '../../api/contract/projects.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import type { NowLine, NowProject } from '../../domain/now/line.ts'
import type { StoredNow } from '../../domain/now/memory.ts'
import { worthOf } from '../../domain/now/worth.ts'
import { connectionLine, rateLine, writeLines } from './request-lines.ts'
import { serverLines } from '../../domain/now/thing-lines.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { useBudget } from '../../hooks/use-budget.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useOpenWrites } from '../../hooks/use-open-writes.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { type NowSource, sourceOf } from './sources.ts'
import { useFindingReads } from './use-finding-reads.ts'
import { type NowAnswer, readIn, useOptionsOf, usePlan, useReads } from './use-reads.ts'
import { useRunReads } from './use-run-reads.ts'
import { useWaveReads } from './use-wave-reads.ts'

export type NowData = {
  lines: readonly NowLine[]
  sources: readonly NowSource[]
  /** All that the key reaches, once that is known. */
  all: readonly Project[] | undefined
  projects: readonly NowProject[]
}

/** Everything that Now looks at, read by its plan for as long as it is on screen. */
export function useNowData(kept: StoredNow): NowData {
  const { queries, profile } = useWorkspace()
  const now = useNow()
  const router = useRouter()
  const plan = usePlan()
  const [ofProjects] = useState(() => queries.projects.list.options({}))
  const suitesOf = useOptionsOf(({ id }: Project) => queries.suites.list.options({ projectId: id }))
  const rightsOf = useOptionsOf(({ id }: Project) => queries.projects.capabilities.options({ projectId: id }))
  const [known] = useReads('projects', plan, [ofProjects])
  const all = known?.data?.items
  const projects = useMemo(() => chosenOf(all, kept.projects), [all, kept.projects])
  const of = projects.map(readIn)
  const suites = useReads('suites', plan, projects.map(suitesOf), of)
  plan.worth = worthOf(
    projects.map((project, index) => ({ project, suites: suites[index]?.data?.items })),
    // Where the chosen line leads draws nothing here.
    router.current().params['projectId'],
    serviceTime(now),
  )
  const rights = useReads('rights', plan, projects.map(rightsOf), of)
  const findings = useFindingReads(plan, projects, rights)
  const runs = useRunReads(plan, projects, suites, serviceTime(now))
  const waves = useWaveReads(plan, projects, rights, now)
  const writes = useOpenWrites()
  const pause = useBudget(({ pausedUntil }) => ({
    seconds: pausedUntil === undefined ? 0 : Math.ceil((pausedUntil - Date.now()) / 1000),
  }))
  const answers = [known, ...rights, ...suites, ...findings.answers, ...runs.answers, ...waves.answers]
  const time = Date.now()
  const { data: open, dataUpdatedAt: lookedAt } = writes
  const written = useMemo(
    () => writeLines(projects, { value: open ?? [], at: lookedAt || undefined }, now),
    [projects, open, lookedAt, now],
  )
  const examined = useMemo(() => serverLines(projects, kept.checks.values(), now), [projects, kept.checks, now])
  const lines = useSame([
    ...connectionLine(faultOf(answers), latest(answers), profile.host),
    ...rateLine(pause && time + pause.seconds * 1000, time),
    ...written,
    ...examined,
    ...runs.lines,
    ...waves.lines,
    ...findings.lines,
  ])
  const sources: NowSource[] = [
    sourceOf('projects', known, undefined),
    ...suites.map((answer, index) => sourceOf('suites', answer, projects[index])),
    ...runs.sources,
    ...waves.sources,
    ...findings.sources,
    // What tells least is named last: nobody waits for it.
    ...rights.map((answer, index) => sourceOf('rights', answer, projects[index])),
    ...(writes.error ? [unreadWrites(writes.error)] : []),
  ]
  return { lines, sources, all, projects }
}

/** The items of the draw before, as long as all of them are the same: nothing is made of them again. */
function useSame<T>(items: readonly T[]): readonly T[] {
  const last = useRef(items)
  const { current } = last
  if (items.length !== current.length || items.some((item, index) => item !== current[index])) last.current = items
  return last.current
}

function chosenOf(all: readonly Project[] | undefined, ids: readonly string[] | undefined): Project[] {
  const wanted = ids && new Set(ids)
  return (all ?? []).filter(({ id }) => !wanted || wanted.has(id))
}

function unreadWrites(error: Error): NowSource {
  return {
    kind: 'writes',
    project: undefined,
    of: undefined,
    state: 'error',
    at: undefined,
    problem: describeError(error),
    partial: false,
  }
}

/** Why nothing comes back, since the last answer; a service that cannot answer one read may answer the others. */
function faultOf(answers: readonly (NowAnswer<unknown> | undefined)[]): ConnectionFault | undefined {
  const answeredAt = latest(answers) ?? 0
  const faults = answers.flatMap(answer =>
    answer ? [(answer.failedAt ?? 0) >= answeredAt ? connectionFault(answer.error) : undefined] : [],
  )
  const ofAll = faults.find(fault => fault !== undefined && fault !== 'unavailable')
  return ofAll ?? (faults.includes(undefined) ? undefined : faults[0])
}

function latest(answers: readonly (NowAnswer<unknown> | undefined)[]): number | undefined {
  const times = answers.flatMap(answer => answer?.at ?? [])
  return times.length === 0 ? undefined : Math.max(...times)
}
