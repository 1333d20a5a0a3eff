/** What a key may do in a project, in rising order. */
export const PROJECT_ROLES = ['guest', 'member', 'editor', 'admin'] as const
export type ProjectRole = (typeof PROJECT_ROLES)[number]
