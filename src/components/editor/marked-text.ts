import type { TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { plural } from '../../lib/format.ts'

/** Starts a line that mcpdeck inserted into a document; such lines are removed before it is parsed. */
const MARK = '#!!'

/** Returns the text without the lines that mcpdeck inserted. */
export function withoutMarks(text: string): string {
  return text
    .split('\n')
    .filter(line => !line.trimStart().startsWith(MARK))
    .join('\n')
}

/** Whether mcpdeck inserted lines into the text. */
export function hasMarks(text: string): boolean {
  return withoutMarks(text) !== text
}

/** Inserts a notice above a document. */
export function withNotice(text: string, notice: readonly string[]): string {
  return [...notice.map(line => `${MARK} ${line}`), withoutMarks(text)].join('\n')
}

/** Returns the text with each problem as a comment above its line; line numbers are those of the commented text. */
export function withProblems(text: string, problems: readonly TextProblem[]): string {
  const lines = withoutMarks(text).split('\n')
  const title = [
    `${plural(problems.length, 'problem')} to correct; each is shown above its line.`,
    'Leave the file as it is to stop for now; empty it to discard it.',
  ]
  const marked = title.map(line => `${MARK} ${line}`)
  for (const [index, line] of lines.entries()) {
    const here = problems.filter(problem => Math.min(problem.line, lines.length) === index + 1)
    const margin = /^\s*/.exec(line)![0]
    for (const [order, { column, message }] of here.entries()) {
      const number = marked.length + here.length - order + 1
      marked.push(`${margin}${MARK} line ${number}, column ${column}: ${message.replaceAll('\n', ' ')}`)
    }
    marked.push(line)
  }
  return marked.join('\n')
}

/** Whether a document contains only comments. */
export function isEmptied(text: string): boolean {
  return text.split('\n').every(line => /^\s*(?:#.*|---\s*|\.\.\.\s*)?$/.test(line))
}
