import { defineRoute } from '../../tui/router/place.ts'

/** Params: `checkRepoId`, `pane` the focused pane. */
export const checkReposRoute = defineRoute('check-repos', 'check-repos[/{checkRepoId}]')
