import { useEffect, useRef } from 'react'
import { useCrumbs } from './crumbs.tsx'
import { Pane } from './panes/pane.tsx'
import { NothingChosen, type PaneData } from './pane-state.tsx'

type Projects = PaneData & { data: { items: readonly { id: string }[] } | undefined }

/** A screen of one project that was opened without one: where the key reaches just one, that is meant. */
export function NeedsProject(props: { what: string; projects: Projects; open: (projectId: string) => void }) {
  useCrumbs([`${props.what.charAt(0).toUpperCase()}${props.what.slice(1)}`])
  const all = props.projects.data?.items
  const projectId = all?.length === 1 ? all[0]?.id : undefined
  const open = useRef(props.open)
  open.current = props.open
  useEffect(() => {
    if (projectId !== undefined) open.current(projectId)
  }, [projectId])
  return (
    <Pane title="No project" focused>
      <NothingChosen
        sources={[{ what: 'the projects', data: props.projects }]}
        why={`No project is chosen, so there are no ${props.what} to show.`}
        next="Choose one in the projects screen."
      />
    </Pane>
  )
}
