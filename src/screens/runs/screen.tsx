import { useRef, type ReactNode } from 'react'
import { runNumberOf } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { usePlace, useRouter, usePositionParams } from '../../tui/router/router-context.tsx'
import type { CompanionSpec } from '../../components/companion.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useSize } from '../../components/size.tsx'
import { useSubject } from '../../components/subject.tsx'
import { projectScreen } from '../../components/collection/project-screen.tsx'
import { arrangementOf } from '../../components/panes/layout.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { useZoomed } from '../../components/panes/zoom.ts'
import { Panes } from '../../components/panes.tsx'
import { MISSED, NothingChosen } from '../../components/pane-state.tsx'
import { appKeys } from '../../components/everywhere-keys.ts'
import { paneNeeds, paneRows, useKeptNeeds } from '../../components/list/use-list.ts'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { heatRuns } from '../../domain/runs/heat.ts'
import { useReadAhead } from '../../hooks/use-whole-list.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runsKeys } from './bindings.ts'
import { middleOf, paneOf, tabOf, type Middle, type PaneId } from './route.ts'
import { RunBelow, RunPane } from './run-pane.tsx'
import type { SuiteCases, SuiteParts } from './suite-parts.ts'
import { useKeys } from './use-keys.ts'
import { RUNS_SHOWN } from './use-runs-data.ts'
import { useLists, type RunsLists } from './use-lists.ts'

/** Makes the screen with suites, the runs of the selected one, and one run. */
export function runsScreenOf<Cases extends SuiteCases>(parts: SuiteParts<Cases>): () => ReactNode {
  const { SuitesPane, CasePane, useCases, useAuthoringKeys } = parts

  function ProjectRuns({ projectId }: { projectId: string }) {
    const router = useRouter()
    const { params } = usePlace()
    const lists = useLists(projectId)
    const { suite, run } = lists
    const focused = paneOf(params)
    const { room } = arrangementOf({ ...useSize(), neverBeside: useTheme().plain })
    const showsRun = room > 2 || focused === 'run'
    // The pane below the list uses the columns that the list leaves blank.
    const runsNeeds = useKeptNeeds(lists.runList, !showsRun || hasHeat(lists.runs))
    const openTrial = useRef<() => void>(undefined)
    const tab = tabOf(params.tab)
    const runNumber = focused === 'run' && run?.runNumber != null ? `#${run.runNumber}` : null
    useCrumbs([useProjectName(projectId), 'Runs', suite?.name, runNumber])
    const middle = suite ? middleOf(params.middle) : 'runs'
    const cases = useCases(projectId, suite, middle === 'cases')
    useChosenSubject({ focused, middle, lists, cases })
    usePositionParams(params => paramsIn({ params, focused, middle, lists, cases }))
    useAuthoringKeys({
      projectId,
      suite,
      suiteList: lists.suiteList,
      cases,
      focused,
      middle,
      onSuite: suiteId => {
        lists.suiteList.selection.select(suiteId)
        router.replace({ suiteId, runId: undefined, caseId: undefined })
      },
    })
    useKeys({ projectId, lists, cases, middle, focused, tab, openTrial: () => openTrial.current?.() })
    return (
      <Panes
        focused={focused}
        onFocus={pane => router.replace({ pane })}
        panes={[
          {
            id: 'suites',
            weight: 14,
            needs: paneNeeds(lists.suiteList),
            rows: paneRows(lists.suiteList, lists.suites.hasMore),
            render: focus => (
              <SuitesPane
                projectId={projectId}
                list={lists.suiteList}
                data={lists.suites}
                suite={suite}
                focused={focus}
              />
            ),
          },
          {
            id: 'runs',
            weight: 13,
            needs: middle === 'runs' ? runsNeeds : undefined,
            render: focus => (
              <Middle
                projectId={projectId}
                parts={parts}
                lists={lists}
                cases={cases}
                middle={middle}
                focused={focus}
                showsRun={showsRun}
                onChange={next => router.replace({ middle: next === 'runs' ? undefined : next })}
              />
            ),
          },
          {
            id: 'run',
            weight: 20,
            render: focus =>
              middle === 'cases' ? (
                <CasePane cases={cases} focused={focus} />
              ) : run ? (
                <RunPane
                  key={run.id}
                  projectId={projectId}
                  run={run}
                  tab={tab}
                  focused={focus}
                  onOpenTrial={open => {
                    openTrial.current = open
                  }}
                />
              ) : (
                <NoRun lists={lists} isWanted={params['runId'] !== undefined} focused={focus} />
              ),
          },
        ]}
      />
    )
  }

  return projectScreen('runs', ProjectRuns)
}

type Chosen = { focused: PaneId; middle: Middle; lists: RunsLists; cases: SuiteCases }

/** Sets the record that copying and the raw view apply to. */
function useChosenSubject({ focused, middle, lists, cases }: Chosen): void {
  const { suite, run, suiteList, runList } = lists
  const isSuite = focused === 'suites' || (middle === 'settings' && focused === 'runs')
  const [kind, record, latest] = isSuite
    ? (['suite', suite, () => (focused === 'suites' ? suiteList.current() : suite)] as const)
    : middle === 'cases'
      ? (['case', cases.chosen?.stored, () => cases.list.current()?.stored] as const)
      : (['run', run, () => runList.current()] as const)
  useSubject(kind, record, { latest })
}

/** Returns the parameters of the place: as deep as the focused pane, on its selected row. */
function paramsIn(at: Chosen & { params: Readonly<Record<string, string>> }) {
  const { focused, middle, lists, cases } = at
  const { suiteId, runId, caseId, iterationId, base, ...params } = at.params
  if (focused === 'suites') return { ...params, suiteId: lists.suiteList.current()?.id ?? suiteId }
  const suite = lists.suite?.id ?? suiteId
  const isSame = suite === suiteId || suiteId === undefined
  if (middle === 'cases')
    return { ...params, suiteId: suite, caseId: cases.list.current()?.id ?? (isSame ? caseId : undefined) }
  if (middle === 'settings') return { ...params, suiteId: suite }
  const run = lists.runList.current()?.id ?? (isSame ? runId : undefined)
  if (focused === 'runs') return { ...params, suiteId: suite, runId: run }
  return { ...params, suiteId: suite, runId: run, ...((run === runId || runId === undefined) && { iterationId, base }) }
}

/** Shown instead of a run while none is selected. */
function NoRun({ lists, isWanted, focused }: { lists: RunsLists; isWanted: boolean; focused: boolean }) {
  const { suites, suiteList, suite, runs, runList } = lists
  const key = useKeyName()
  return (
    <Pane title="Run" focused={focused}>
      <NothingChosen
        sources={[
          { what: 'the suites', data: suites },
          ...(suite ? [{ what: 'the runs of the suite', data: runs }] : []),
        ]}
        why="No run is chosen."
        next={suite && runList.total === 0 ? `Press ${key(runsKeys, 'launch')} to launch one.` : undefined}
        isEmpty={suiteList.total === 0}
        isMissed={suiteList.isMissed || runList.isMissed || isWanted}
      />
    </Pane>
  )
}

/** Shows the runs, the cases, the settings or the heat map of the selected suite. */
function Middle<Cases extends SuiteCases>(props: {
  projectId: string
  parts: SuiteParts<Cases>
  lists: RunsLists
  cases: Cases
  middle: Middle
  focused: boolean
  /** Whether the chosen run has a pane beside this one. */
  showsRun: boolean
  onChange: (middle: Middle) => void
}) {
  const { projectId, parts, lists, cases, middle, focused, showsRun, onChange } = props
  const { CasesTab, SettingsTab, HeatTab } = parts
  const { suite, suites } = lists
  if (!suite)
    return (
      <Pane title="Runs" focused={focused}>
        <NothingChosen
          sources={[{ what: 'the suites', data: suites }]}
          why="No suite is chosen."
          isEmpty={lists.suiteList.total === 0}
        />
      </Pane>
    )
  if (middle === 'cases') return <CasesTab cases={cases} focused={focused} onChange={onChange} />
  if (middle === 'settings')
    return <SettingsTab projectId={projectId} suite={suite} focused={focused} onChange={onChange} />
  if (middle === 'heat')
    return <HeatTab projectId={projectId} suite={suite} runs={lists.runs} focused={focused} onChange={onChange} />
  return <SuiteRuns {...{ projectId, parts, suite, lists, focused, showsRun, onChange }} />
}

/** Whether runs are shown as a heat map below their list. */
const hasHeat = ({ items = [] }: RunsLists['runs']): boolean => heatRuns(items).length > 1

/** Number of rows left below the selected run at which older ones are read. */
const READ_AHEAD = 20

function SuiteRuns(props: {
  projectId: string
  parts: Pick<SuiteParts, 'MiddleList' | 'HeatBelow'>
  suite: EvalSuite
  lists: RunsLists
  focused: boolean
  showsRun: boolean
  onChange: (middle: Middle) => void
}) {
  const { suite, lists, focused, onChange } = props
  const { MiddleList } = props.parts
  const below = useBelow(props)
  const { runs, runList } = lists
  const key = useKeyName()
  const chosen = useRestedIndex(runList.selection)
  const isInOrder = runList.filter === '' && !runList.sorting && !runList.onlyNews
  useReadAhead(runs, isInOrder && chosen + READ_AHEAD >= runList.items.length)
  // A newly launched run is open before the list is read again.
  const empty = usePlace().params['runId']
    ? { why: MISSED, next: `Press ${key(appKeys, 'refresh')} to read again.` }
    : { why: 'This suite has not run yet.', next: `Press ${key(runsKeys, 'launch')} to launch it.` }
  return (
    <MiddleList
      focused={focused}
      onChange={onChange}
      current="runs"
      list={runList}
      data={runs}
      pages={{ of: runs, noun: 'run', always: true }}
      notices={runs.isLatestOnly ? [`This service lists the latest ${RUNS_SHOWN} runs of a suite only.`] : []}
      loading="Reading the runs of the suite…"
      empty={empty}
      {...(below && { below: { ...below, of: suite } })}
    />
  )
}

/**
 * Returns the heat map of the runs. For a suite with too few runs, returns the summary of the selected run, unless it
 * has a pane of its own or requests are limited.
 */
function useBelow(props: Parameters<typeof SuiteRuns>[0]): CompanionSpec | undefined {
  const { projectId, suite, lists, showsRun, onChange } = props
  const { HeatBelow } = props.parts
  const { runs, run } = lists
  const router = useRouter()
  const isZoomed = useZoomed()
  const { unlimited } = useWorkspace().budget.snapshot()
  if (hasHeat(runs))
    return {
      title: 'Heat map',
      render: () => <HeatBelow projectId={projectId} suite={suite} runs={runs} />,
      onOpen: () => onChange('heat'),
    }
  // Reading a run takes many requests. If their rate is limited, it is not read for each row that the selection passes.
  if (!run || !unlimited || (showsRun && !isZoomed)) return undefined
  return {
    title: `Run ${runNumberOf(run)}`,
    render: () => <RunBelow key={run.id} projectId={projectId} run={run} />,
    onOpen: () => router.replace({ pane: 'run', runId: run.id }),
  }
}
