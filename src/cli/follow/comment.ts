import { BOUNDS } from '../../lib/bounds.ts'
import { redacted, type Own } from '../../lib/redaction/redaction.ts'
import { summaryMarkdown, type NamedResult } from './summary.ts'

/** The beginning of each comment, by which a file is known as one; its rest says which comment it replaces. */
export const COMMENT_START = '<!-- mcpdeck '

/**
 * Returns a summary as the comment of a pull request. Its first line names the suites, so that the next comment of the
 * same suites can be found and replaced. A service refuses a comment that is too long, so a long one ends with a note.
 */
export function commentMarkdown(results: readonly NamedResult[], own: Own, goesOn: boolean): string {
  const text = summaryMarkdown(results, own, goesOn)
  const whole = `${markerOf(results, own)}\n${text}`
  if (whole.length <= BOUNDS.comment.most) return whole
  const note = '\n\nThe rest is left out: a comment cannot be longer.\n'
  return whole.slice(0, BOUNDS.comment.most - note.length) + note
}

/** Names the suites, which stay the same from one push to the next, in characters that cannot end an HTML comment. */
function markerOf(results: readonly NamedResult[], own: Own): string {
  const names = results.map(({ suite, name }) => redacted(suite ?? name, { ...own, isId: true }).toWellFormed())
  const sorted = [...new Set(names)].toSorted()
  return `${COMMENT_START}${sorted.map(name => encodeURIComponent(name).replaceAll('-', '%2D')).join(' ')} -->`
}
