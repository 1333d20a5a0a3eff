import { useState } from 'react'
import type { Project } from '../../api/contract/projects.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { CollectionFrame } from '../../components/collection/collection-frame.tsx'
import { ageColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { useCollection } from '../../components/collection/use-collection.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { runsRoute } from '../runs/route.ts'
import { serversRoute } from '../servers/route.ts'
import { projectsKeys } from './bindings.ts'
import { ProjectDetail } from './project-detail.tsx'
import { useProjectChanges } from './use-project-changes.ts'
import type { Column } from '../../components/list/columns.ts'

const projectColumns: readonly Column<Project>[] = [
  nameColumn('Name', ({ name }) => name),
  noteColumn('Role', 8, ({ role }) => role),
  noteColumn('Visibility', 10, ({ visibility }) => visibility, { id: 'visibility', from: 44 }),
  ageColumn('Age', project => project.createdAt),
]

const projectKey = (project: Project): string => project.id

const NONE: never[] = []
const paramsOf = ({ id }: Project) => ({ projectId: id })
const recordOf = (project: Project) => project

/** Shows every project that the key can access, and the contents of the selected one. */
export function ProjectsScreen() {
  const { queries } = useWorkspace()
  const projects = useWholeList(queries.projects.list, {})
  // A place may name a project, whose id is known only after the list is read.
  const [wanted] = useState(usePlace().params['projectId'])
  const named = projects.items?.find(({ name }) => name === wanted)?.id
  return <Projects key={named} projects={projects} named={named} />
}

function Projects(props: { projects: ApiPages<Project>; named: string | undefined }) {
  const { projects, named } = props
  const router = useRouter()
  const { params } = usePlace()
  const projectId =
    named !== undefined && !projects.items?.some(({ id }) => id === params.projectId) ? named : params.projectId
  const collection = useCollection({
    noun: 'project',
    items: projects.items ?? NONE,
    keyOf: projectKey,
    columns: projectColumns,
    recordOf,
    // The row becomes the current project, so that the number keys of the other screens open its records.
    placed: { key: projectId, param: 'projectId', follows: true },
  })
  useCrumbs(['Projects', collection.row?.name])
  const open = (route: typeof serversRoute | typeof runsRoute) =>
    collection.on(project => {
      router.replace(paramsOf(project))
      router.go(route.to(paramsOf(project)))
    })
  const changes = useProjectChanges({
    opened: collection.show,
    deleted: () => router.replace({ projectId: undefined }),
  })
  useBindings(projectsKeys, {
    open: open(serversRoute),
    runs: open(runsRoute),
    add: changes.add,
    edit: collection.on(changes.edit),
    remove: collection.on(changes.remove),
  })
  const key = useKeyName()
  return (
    <CollectionFrame
      collection={collection}
      what="the projects"
      data={projects}
      list={{
        title: 'Projects',
        loading: 'Reading the projects of this key…',
        empty: {
          why: 'This key has access to no project.',
          next: `Press ${key(projectsKeys, 'add')} to create one, or use a key of another organization.`,
        },
      }}
      renderDetail={(project, focused) => <ProjectDetail key={project.id} project={project} focused={focused} />}
      weights={[3, 4]}
    />
  )
}
