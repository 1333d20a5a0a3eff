import { useEffect } from 'react'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useList } from '../../components/list/use-list.ts'
import { ListPane } from '../../components/list/list-pane.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { NothingChosen } from '../../components/pane-state.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runsRoute } from '../runs/route.ts'
import { serversRoute } from '../servers/route.ts'
import { projectsKeys } from './bindings.ts'
import { projectColumns, projectKey } from './columns.ts'
import { ProjectDetail } from './project-detail.tsx'

const NONE: never[] = []

/** Every project that the key reaches, and what the chosen one holds. */
export function ProjectsScreen() {
  const { queries } = useWorkspace()
  const router = useRouter()
  const { params } = usePlace()
  const projects = useApiQuery(queries.projects.list.options({}))
  const list = useList({
    items: projects.data?.items ?? NONE,
    keyOf: projectKey,
    columns: projectColumns,
    initialKey: params.projectId,
    isOpen: params.pane === 'detail',
  })
  const chosen = useChosen(list)
  const focused = params.pane === 'detail' ? 'detail' : 'list'
  useCrumbs(['Projects', chosen?.name])
  useSubject('project', chosen)
  const chosenId = chosen?.id
  useEffect(() => {
    // The row is the current project, so that the numbers of the other screens open its things.
    if (chosenId !== undefined) router.replace({ projectId: chosenId })
  }, [chosenId, router])
  const open = (route: typeof serversRoute | typeof runsRoute) => (): void => {
    const project = list.choose()
    if (!project) return
    router.replace({ projectId: project.id })
    router.go(route.to({ projectId: project.id }))
  }
  const none = unavailable('There is no project to open.')
  const actions = { open: open(serversRoute), runs: open(runsRoute) }
  useBindings(projectsKeys, chosen ? actions : { open: none, runs: none })
  return (
    <Panes
      focused={focused}
      onFocus={pane => router.replace({ pane })}
      panes={[
        {
          id: 'list',
          weight: 3,
          render: focus => (
            <ListPane
              title="Projects"
              list={list}
              data={projects}
              focused={focus}
              loading="Reading the projects of this key…"
              empty={{
                why: 'This key reaches no project.',
                next: 'Create one in the hosted app, or use a key of another organization.',
              }}
            />
          ),
        },
        {
          id: 'detail',
          weight: 4,
          render: focus =>
            chosen ? (
              <ProjectDetail key={chosen.id} project={chosen} focused={focus} />
            ) : (
              <Pane title="Project" focused={focus}>
                <NothingChosen
                  sources={[{ what: 'the projects', data: projects }]}
                  why="No project is chosen."
                  isMissed={list.isMissed}
                />
              </Pane>
            ),
        },
      ]}
    />
  )
}
