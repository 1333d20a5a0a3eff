import { basename } from 'node:path'
import { BOUNDS } from '../../lib/bounds.ts'
import type { Own } from '../../lib/redaction/redaction.ts'
import { summaryMarkdown, type NamedResult } from './summary.ts'

/** The beginning of each comment, by which a file is known as one; its rest says which comment it replaces. */
export const COMMENT_START = '<!-- mcpdeck '

type CommentOptions = {
  own: Own
  /** Whether an unfinished run continues without this process. */
  goesOn: boolean
  /** Path of the file with the comment. */
  file: string
}

/**
 * Returns a summary as the comment of a pull request. Its first line names the file, so that the next comment from the
 * same file can be found and replaced, whatever could be read of the runs. A service refuses a comment that is too
 * long, so a long one ends with a note.
 */
export function commentMarkdown(results: readonly NamedResult[], { own, goesOn, file }: CommentOptions): string {
  const whole = `${markerOf(file)}\n${inert(summaryMarkdown(results, own, goesOn))}`
  if (whole.length <= BOUNDS.comment.most) return whole
  const note = '\n\nThe rest is left out: a comment cannot be longer.\n'
  return whole.slice(0, BOUNDS.comment.most - note.length).replace(CUT_COMMENT, '') + note
}

/** Names the file in characters that cannot end an HTML comment. */
function markerOf(file: string): string {
  return `${COMMENT_START}${encodeURIComponent(basename(file).toWellFormed()).replaceAll('-', '%2D')} -->`
}

/** Matches what begins a reference, and the line with the address of a run. */
const REFERENCES = /^- page: <.*|@|[#!$%&](?=\d)|\b[Gg][Hh]-(?=\d)|:(?=\/\/)|\b[Ww]{3}(?=\.)/gm
const EMPTY_COMMENT = '<!-- -->'
/** Matches the beginning of an empty comment at the end of a text. */
const CUT_COMMENT = /<(?:!-{0,2} ?-{0,2})?$/

/**
 * Keeps names, numbers and addresses in texts from mentioning people and other requests, as GitHub and GitLab write
 * them. The address of a run stays as it is.
 */
function inert(markdown: string): string {
  return markdown.replaceAll(REFERENCES, found => (found.startsWith('- page') ? found : found + EMPTY_COMMENT))
}
