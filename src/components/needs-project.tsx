import { useCrumbs } from './crumbs.tsx'
import { Pane } from './panes/pane.tsx'
import { NothingChosen, type PaneData } from './pane-state.tsx'

/** A screen of one project that was opened without one. */
export function NeedsProject(props: { what: string; projects: PaneData }) {
  useCrumbs([props.what])
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
