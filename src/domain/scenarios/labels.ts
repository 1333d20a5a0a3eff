import { isAccessMode, type AccessMode, type VisitorKind } from './table.ts'

/** Who each mode admits, as the end of a sentence. */
export const MODE_LABELS: Record<AccessMode, string> = {
  project_members: 'members of the project',
  invited_only: 'invited people',
  anyone_with_link: 'anyone with the link',
}

export const VISITOR_KIND_LABELS: Record<VisitorKind, string> = {
  member: 'members of the project',
  invited: 'invited people',
  stranger: 'strangers who have the link',
}

/** Returns a mode in words. An unknown mode is shown as received. */
export function modeLabel(mode: string | null | undefined): string {
  if (mode == null) return 'unknown'
  return isAccessMode(mode) ? MODE_LABELS[mode] : mode
}

/** Joins words: `one, two and three`. */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? ''
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`
}

/** Returns what a holder of the link may do, shown when the link leaves this program. */
export function linkGrants(mode: string | null | undefined): string {
  if (mode === 'anyone_with_link') return 'Anyone who has it can enter, without signing in.'
  if (mode === 'project_members') return 'It opens only to members of the project, who sign in.'
  if (mode === 'invited_only') return 'It opens only to invited people.'
  return 'It is not known whom it lets in: treat it as a secret.'
}

/** Returns what increased the version, in words. An older note is returned unchanged. */
export function moveLabel(by: string): string {
  if (by === 'mode') return 'a change of mode'
  return by === 'remove' ? 'removing a member' : by
}
