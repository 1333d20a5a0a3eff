import { type ComponentType, type ReactNode, useEffect, useRef } from 'react'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { Box } from 'ink'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { projectChoiceKeys } from '../component-keys.ts'
import { useCrumbs } from '../crumbs.tsx'
import type { Column } from '../list/columns.ts'
import { List } from '../list/list.tsx'
import { BelowCut, type LongList } from '../list/read-on.tsx'
import { useList } from '../list/use-list.ts'
import { NothingChosen, Sentence, type PaneData } from '../pane-state.tsx'
import { Pane } from '../panes/pane.tsx'
import { SizeProvider, useSize } from '../size.tsx'

/**
 * Makes a screen of one project. If its place names no project, it uses the only one, or asks for one.
 * @param what what the screen shows, such as `servers`
 */
export function projectScreen(what: string, Content: ComponentType<{ projectId: string }>): () => ReactNode {
  return function ProjectScreen() {
    const { projectId } = usePlace().params
    return projectId ? <Content key={projectId} projectId={projectId} /> : <WithoutProject what={what} />
  }
}

function WithoutProject({ what }: { what: string }) {
  const { queries } = useWorkspace()
  const router = useRouter()
  const projects = useWholeList(queries.projects.list, {})
  return <NeedsProject what={what} projects={projects} open={projectId => router.replace({ projectId })} />
}

type Project = { id: string; name: string }
type Projects = PaneData & LongList & { items: readonly Project[] | undefined }

const NONE: readonly Project[] = []
/** Rows of the sentence above the list. */
const ABOVE = 1

const columns: readonly Column<Project>[] = [
  { id: 'name', title: 'Name', width: 'flex', cell: ({ name }) => name, sort: ({ name }) => name },
  { id: 'id', title: 'Id', width: 'flex', cell: ({ id }) => ({ text: id, tone: 'muted' }), sort: ({ id }) => id },
]
const projectKey = ({ id }: Project): string => id

/**
 * A project screen that was opened without a project: uses the only project that the key can access, or lets the person
 * choose.
 */
export function NeedsProject(props: { what: string; projects: Projects; open: (projectId: string) => void }) {
  const { what, projects } = props
  useCrumbs([`${what.charAt(0).toUpperCase()}${what.slice(1)}`])
  const all = projects.items ?? NONE
  const projectId = all.length === 1 && !projects.hasMore ? all[0]?.id : undefined
  const open = useRef(props.open)
  open.current = props.open
  useEffect(() => {
    if (projectId !== undefined) open.current(projectId)
  }, [projectId])
  const why = `No project is chosen, so there are no ${what} to show.`
  return all.length > 1 || projects.hasMore ? (
    <Pane title="Choose a project" count={`${all.length}`} focused>
      <Choice why={why} all={all} pages={projects} open={id => open.current(id)} />
    </Pane>
  ) : (
    <Pane title="No project" focused>
      <NothingChosen
        sources={[{ what: 'the projects', data: projects }]}
        why={why}
        next="Create a project in the hosted app, or use a key of another organization."
      />
    </Pane>
  )
}

function Choice(props: { why: string; all: readonly Project[]; pages: LongList; open: (projectId: string) => void }) {
  const { width, height } = useSize()
  const list = useList({ items: props.all, keyOf: projectKey, columns })
  useBindings(projectChoiceKeys, {
    choose: () => {
      const project = list.choose()
      if (project) props.open(project.id)
    },
  })
  return (
    <Box flexDirection="column">
      <Sentence tone="muted" text={props.why} />
      <SizeProvider width={width} height={Math.max(1, height - ABOVE)} top={ABOVE}>
        <BelowCut pages={props.pages} count={list.total} noun="project" focused>
          <List list={list} focused empty="" />
        </BelowCut>
      </SizeProvider>
    </Box>
  )
}
