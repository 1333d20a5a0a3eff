import { defineRoute } from '../../tui/router/place.ts'

/** Params: `projectId`, `imageId`, `pane` the focused pane, `tab` of the detail. */
export const imagesRoute = defineRoute('images', 'projects/{projectId}/images[/{imageId}]')
