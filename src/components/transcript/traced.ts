import type { FoundTrace } from '../../domain/findings/trace-index.ts'
import { plural } from '../../lib/format.ts'

/** Shows while a session is searched for. */
export function searchingLabel(searched: number): string {
  const soFar = searched > 0 ? `: ${plural(searched, 'session')} so far` : ''
  return `Searching for the session in the trace export${soFar}…`
}

/** Why the trace export does not show a session, and what to do; undefined where it does. */
export function untraced({ messages, isWhole, searched }: FoundTrace): { why: string; next: string } | undefined {
  if (messages) return undefined
  return isWhole
    ? { why: 'The trace export does not contain this session.', next: 'It contains sessions once they have ended.' }
    : {
        why: `The session is not among the first ${plural(searched, 'session')} of the trace export.`,
        next: 'The export goes from the oldest to the newest; refresh to read further.',
      }
}
