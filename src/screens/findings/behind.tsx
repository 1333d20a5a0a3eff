import { useMemo } from 'react'
import type { SwarmOverview } from '../../api/contract/journey-runs.ts'
import { gateHelp } from '../../domain/findings/gate.ts'
import { journeyOf, overviewRun, runsBehind, waveRun } from '../../domain/findings/waves.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runColumns, runKey } from './columns.ts'
import { evidenceSessions } from './evidence.tsx'
import { RunSessions, ScenarioSessions } from './sessions.tsx'
import { useBehindPlace, useOpener, type BehindProps } from './use-behind-place.ts'

const NO_RUNS: NonNullable<SwarmOverview['runs']> = []
/** Ended runs do not change; new ones are worth reading now and then. */
const RESTING = { staleTime: 30_000 } as const

/** Shows the runs and sessions in which the finding was seen, down to the messages of a session. */
export function BehindFinding(props: BehindProps) {
  const { row, insights } = props
  const { profile } = useWorkspace()
  const { runId } = useBehindPlace(row)
  const { data } = insights.query
  const evidence = useMemo(() => evidenceSessions(row, data), [row, data])
  if (insights.isClosed)
    return (
      <Sentence
        tone="warn"
        text={`Its sessions cannot be read while the feature is switched off. ${gateHelp(profile.local, [row.source])}`}
      />
    )
  if (row.scenario) return <ScenarioSessions {...props} scenarioId={row.scenario.id} evidence={evidence} />
  return runId === undefined ? (
    <Runs {...props} />
  ) : (
    <RunSessions key={runId} {...props} runId={runId} evidence={evidence} />
  )
}

function Runs({ projectId, row, focused, onOpen }: BehindProps) {
  const { queries } = useWorkspace()
  const place = useBehindPlace(row)
  const { symbols } = useTheme()
  const overview = useApiQuery({ ...queries.journeyRuns.overview.options({ projectId }), ...RESTING })
  const recent = useMemo(() => runsBehind(row, (overview.data?.runs ?? NO_RUNS).map(overviewRun)), [row, overview.data])
  // The overview has only the latest runs of the project; an older one is found through its journey.
  const journeyId = journeyOf(row)
  const isOlder = overview.hasData && recent.length === 0 && journeyId !== undefined
  // In the overview, a failed run may have the same state as one that someone stopped; its journey distinguishes them.
  const isUnclear = journeyId !== undefined && recent.some(({ state }) => state === 'failed_or_canceled')
  const ofJourney = useApiQuery({
    ...queries.journeyRuns.list.options({ projectId, journeyId: journeyId ?? '' }),
    enabled: isOlder || isUnclear,
    ...RESTING,
  })
  const runs = useMemo(() => {
    const marked = (ofJourney.data?.items ?? []).map(waveRun)
    if (isOlder) return runsBehind(row, marked)
    const states = new Map(marked.map(({ id, state }) => [id, state]))
    return recent.map(run => ({ ...run, state: states.get(run.id) ?? run.state }))
  }, [row, isOlder, ofJourney.data, recent])
  const columns = useMemo(() => runColumns(symbols, row.lastSeenIn), [symbols, row.lastSeenIn])
  const list = useList({ items: runs, keyOf: runKey, columns, initialKey: place.lastRunId })
  useOpener(onOpen, runs.length === 0 ? undefined : () => place.go({ runId: list.choose()?.id, lastRunId: undefined }))
  const about = row.lastSeenIn === undefined ? 'this finding' : `the wave ${row.lastSeenIn}`
  const considered = overview.data?.runsConsidered ?? 'few'
  const empty = {
    why: `No run that the service returns belongs to ${about}.`,
    next: `Searched: the latest ${considered} runs of the project, and the runs of the subject’s journey.`,
  }
  return (
    <PaneState
      data={isOlder ? ofJourney : overview}
      loading="Reading the journey runs behind it…"
      empty={list.total === 0 ? empty : undefined}
    >
      <List list={list} focused={focused} empty={empty.why} />
    </PaneState>
  )
}
