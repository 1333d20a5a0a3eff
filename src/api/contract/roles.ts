/** What a key may do in a project, in rising order. */
export const PROJECT_ROLES = ['guest', 'member', 'editor', 'admin'] as const
export type ProjectRole = (typeof PROJECT_ROLES)[number]

/** The lowest role in the project that an operation needs; `null` where it names no project. */
export function requiredRole({ path, role }: { path: string; role?: ProjectRole }): ProjectRole | null {
  return role ?? (path.includes('{projectId}') ? 'member' : null)
}

/** Whether a role, if any, reaches what is needed. */
export function isAtLeast(role: ProjectRole | undefined, needed: ProjectRole | null): boolean {
  if (needed === null) return true
  return role !== undefined && PROJECT_ROLES.indexOf(role) >= PROJECT_ROLES.indexOf(needed)
}

/**
 * Why a role does not do, as a sentence; `change` is what needs more, and the role is left out where it is not known.
 */
export function roleSentence(needed: ProjectRole, role: string | undefined, change = 'This'): string {
  return `${change} needs the role ${needed} in the project${role ? `; yours is ${role}` : ''}.`
}
