import { defineRoute } from '../../tui/router/place.ts'

/** Params: `tab`, and `projectId` of the project whose rights and limits are shown. */
export const accountRoute = defineRoute('account', 'account')
