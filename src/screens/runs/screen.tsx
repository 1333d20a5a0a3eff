import { useRef } from 'react'
import { contract } from '../../api/contract/contract.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter, useStanding } from '../../tui/router/router-context.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useSubject } from '../../components/subject.tsx'
import { List } from '../../components/list/list.tsx'
import { ListPane } from '../../components/list/list-pane.tsx'
import { listCount, listNote } from '../../components/list/use-list.ts'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { NeedsProject } from '../../components/needs-project.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { NothingChosen, PaneState } from '../../components/pane-state.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { runsKeys } from './bindings.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { CasePane, CasesTab, SettingsTab } from '../suites/panes.tsx'
import { suitesKeys } from '../suites/cases-keys.ts'
import { MiddlePane } from '../suites/middle.tsx'
import { useAuthoringKeys } from '../suites/use-authoring-keys.ts'
import { useCases, type CasesData } from '../suites/use-cases.ts'
import { middleOf, paneOf, tabOf, type Middle, type PaneId } from './panes.ts'
import { RunPane } from './run-pane.tsx'
import { useKeys } from './use-keys.ts'
import { useLists, type RunsLists } from './use-lists.ts'

/** Suites, the runs of the chosen one, and one run. */
export function RunsScreen() {
  const { params } = usePlace()
  if (!params.projectId) return <WithoutProject />
  return <ProjectRuns key={params.projectId} projectId={params.projectId} />
}

function WithoutProject() {
  const { queries } = useWorkspace()
  const router = useRouter()
  return (
    <NeedsProject
      what="runs"
      projects={useApiQuery(queries.projects.list.options({}))}
      open={projectId => router.replace({ projectId })}
    />
  )
}

function ProjectRuns(props: { projectId: string }) {
  const { projectId } = props
  const router = useRouter()
  const { params } = usePlace()
  const lists = useLists(projectId)
  const { suite, run } = lists
  const openTrial = useRef<() => void>(undefined)
  const focused = paneOf(params)
  const tab = tabOf(params.tab)
  const runNumber = focused === 'run' && run?.runNumber != null ? `#${run.runNumber}` : null
  useCrumbs([useProjectName(projectId), 'Runs', suite?.name, runNumber])
  const middle = suite ? middleOf(params.middle) : 'runs'
  const cases = useCases(projectId, suite, middle === 'cases')
  useChosenSubject({ focused, middle, lists, cases })
  useStanding(params => standingIn({ params, focused, middle, lists, cases }))
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
          render: focus => <Suites projectId={projectId} lists={lists} focused={focus} />,
        },
        {
          id: 'runs',
          weight: 13,
          render: focus => (
            <Middle
              projectId={projectId}
              lists={lists}
              cases={cases}
              middle={middle}
              focused={focus}
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
              <Pane title="Run" focused={focus}>
                <NothingChosen
                  sources={[
                    { what: 'the suites', data: lists.suites },
                    ...(suite ? [{ what: 'the runs of the suite', data: lists.runs }] : []),
                  ]}
                  why="No run is chosen."
                  isMissed={lists.suiteList.isMissed || lists.runList.isMissed}
                />
              </Pane>
            ),
        },
      ]}
    />
  )
}

type Chosen = { focused: PaneId; middle: Middle; lists: RunsLists; cases: CasesData }

/** What copying and the raw record are about. */
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

/** Where the person stands: as deep as the focused pane is, on its chosen row. */
function standingIn(at: Chosen & { params: Readonly<Record<string, string>> }) {
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
  return {
    ...params,
    suiteId: suite,
    runId: run,
    ...((run === runId || runId === undefined) && { iterationId, base }),
  }
}

function Suites(props: { projectId: string; lists: RunsLists; focused: boolean }) {
  const key = useKeyName()
  const { projectId, lists } = props
  const made = { ids: { projectId }, operations: [contract.suites.create.operation] }
  const notices = useOpenWriteNotices(made, ...(lists.suite ? [{ ids: { suiteId: lists.suite.id } }] : []))
  return (
    <ListPane
      title="Suites"
      notices={notices}
      list={props.lists.suiteList}
      data={props.lists.suites}
      focused={props.focused}
      loading="Reading the eval suites…"
      empty={{
        why: 'This project has no eval suite.',
        next: `Press ${key(suitesKeys, 'add')} to write one, or ${key(suitesKeys, 'importFile')} to import a file.`,
      }}
    />
  )
}

/** The runs, the cases or the settings of the chosen suite. */
function Middle(props: {
  projectId: string
  lists: RunsLists
  cases: CasesData
  middle: Middle
  focused: boolean
  onChange: (middle: Middle) => void
}) {
  const { projectId, lists, cases, middle, focused, onChange } = props
  const { suite, suites } = lists
  if (!suite)
    return (
      <Pane title="Runs" focused={focused}>
        <NothingChosen
          sources={[{ what: 'the suites', data: suites }]}
          why="No suite is chosen."
          next="Its runs and cases show here."
        />
      </Pane>
    )
  if (middle === 'cases') return <CasesTab cases={cases} focused={focused} onChange={onChange} />
  if (middle === 'settings')
    return <SettingsTab projectId={projectId} suite={suite} focused={focused} onChange={onChange} />
  return <SuiteRuns lists={lists} focused={focused} onChange={onChange} />
}

function SuiteRuns(props: { lists: RunsLists; focused: boolean; onChange: (middle: Middle) => void }) {
  const { runs, runList } = props.lists
  const { symbols } = useTheme()
  const key = useKeyName()
  useRestedIndex(runList.selection)
  const empty = {
    why: 'This suite has not run yet.',
    next: `Press ${key(runsKeys, 'launch')} to launch it.`,
  }
  return (
    <MiddlePane
      current="runs"
      focused={props.focused}
      onChange={props.onChange}
      count={runs.hasData ? listCount(runList) : undefined}
      note={listNote(runList, symbols)}
    >
      <PaneState
        data={runs}
        loading="Reading the runs of the suite…"
        empty={runList.total === 0 ? empty : undefined}
      >
        <List list={runList} focused={props.focused} empty={empty.why} />
      </PaneState>
    </MiddlePane>
  )
}
