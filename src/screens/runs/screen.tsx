import { useRef } from 'react'
import { useKeyName } from '../../app/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../app/router/router-context.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useSubject } from '../../components/subject.tsx'
import { ListPane } from '../../components/list/list-pane.tsx'
import { NeedsProject } from '../../components/needs-project.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { NothingChosen } from '../../components/pane-state.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { runsKeys } from './bindings.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { paneOf, tabOf } from './panes.ts'
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
  return <NeedsProject what="runs" projects={useApiQuery(queries.projects.list.options({}))} />
}

function ProjectRuns(props: { projectId: string }) {
  const { projectId } = props
  const router = useRouter()
  const { params } = usePlace()
  const lists = useLists(projectId)
  const { suite, run } = lists
  const openTrial = useRef<() => void>(undefined)
  const focused = paneOf(params.pane)
  const tab = tabOf(params.tab)
  const runNumber = focused === 'run' && run?.runNumber != null ? `#${run.runNumber}` : null
  useCrumbs([useProjectName(projectId), 'Runs', suite?.name, runNumber])
  useSubject(focused === 'suites' ? 'suite' : 'run', focused === 'suites' ? suite : run)
  useKeys({ projectId, lists, focused, tab, openTrial: () => openTrial.current?.() })
  return (
    <Panes
      focused={focused}
      onFocus={pane => router.replace({ pane })}
      panes={[
        { id: 'suites', weight: 3, render: focus => <Suites lists={lists} focused={focus} /> },
        { id: 'runs', weight: 3, render: focus => <SuiteRuns lists={lists} focused={focus} /> },
        {
          id: 'run',
          weight: 5,
          render: focus =>
            run ? (
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
                />
              </Pane>
            ),
        },
      ]}
    />
  )
}

function Suites(props: { lists: RunsLists; focused: boolean }) {
  return (
    <ListPane
      title="Suites"
      list={props.lists.suiteList}
      data={props.lists.suites}
      focused={props.focused}
      loading="Reading the eval suites…"
      empty={{
        why: 'This project has no eval suite.',
        next: 'Create one over the API or in the hosted app.',
      }}
    />
  )
}

function SuiteRuns(props: { lists: RunsLists; focused: boolean }) {
  const { suite, suites, runs, runList } = props.lists
  const key = useKeyName()
  if (!suite)
    return (
      <Pane title="Runs" focused={props.focused}>
        <NothingChosen
          sources={[{ what: 'the suites', data: suites }]}
          why="No suite is chosen."
          next="Its runs show here."
        />
      </Pane>
    )
  return (
    <ListPane
      title="Runs"
      list={runList}
      data={runs}
      focused={props.focused}
      loading="Reading the runs of the suite…"
      empty={{
        why: 'This suite has not run yet.',
        next: `Press ${key(runsKeys, 'launch')} to launch it.`,
      }}
    />
  )
}
