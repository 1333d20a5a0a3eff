import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId` the chosen project, `pane` the focused pane. */
export const projectsRoute = defineRoute('projects', 'projects[/{projectId}]')
