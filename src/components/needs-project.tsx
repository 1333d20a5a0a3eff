import { useCrumbs } from './crumbs.tsx'
import { Pane } from './panes/pane.tsx'
import { Sentence } from './pane-state.tsx'

/** A screen of one project that was opened without one. */
export function NeedsProject(props: { what: string }) {
  useCrumbs([props.what])
  return (
    <Pane title="No project" focused>
      <Sentence tone="plain" text={`No project is chosen, so there are no ${props.what} to show.`} />
      <Sentence tone="muted" text="Choose one in the projects screen." />
    </Pane>
  )
}
