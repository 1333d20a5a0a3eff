import { Document, isMap, isScalar, isSeq, Scalar, visit } from 'yaml'
import { escapedYaml, hasUnprintable } from '../printable.ts'

/** Fields with their explanations, in the order used in documents. */
export type FieldLabels = Readonly<Record<string, string>>

/** Width of a comment in columns. Longer text continues on the next line. */
const COMMENT_WIDTH = 98

/**
 * A document to write: its value, and the explanations of its fields by the path of the block that contains them (`''`,
 * `suite`).
 */
export type DocumentText = { value: object; words: Readonly<Record<string, FieldLabels>>; about?: readonly string[] }

/**
 * Writes a value as YAML, with a comment for each explained field and the missing fields commented out. For a list, the
 * first entry has the explanations. Unprintable characters are escaped.
 */
export function writeDocument({ value, words, about = [] }: DocumentText): string {
  const document = new Document(value, { aliasDuplicateObjects: false })
  for (const [path, fields] of Object.entries(words)) {
    const block: unknown = path === '' ? document.contents : document.getIn(path.split('.'))
    explain(isSeq(block) ? block.items[0] : block, fields)
  }
  if (about.length > 0) document.commentBefore = commentOf(about)
  visit(document, {
    Scalar(_, scalar) {
      const { value: text } = scalar
      // The library loses blanks when it reads back a block scalar that consists only of blanks.
      const isBlank = typeof text === 'string' && text.trim() === ''
      if (isBlank || (typeof text === 'string' && hasUnprintable(text))) scalar.type = Scalar.QUOTE_DOUBLE
    },
  })
  return escapedYaml(document.toString({ lineWidth: 0 }))
}

function explain(block: unknown, fields: FieldLabels): void {
  if (!isMap(block)) return
  const present = new Set<string>()
  for (const { key } of block.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    present.add(name)
    const words = fields[name]
    if (words !== undefined) key.commentBefore = commentOf([words])
  }
  const absent = Object.entries(fields).filter(([name]) => !present.has(name))
  if (absent.length > 0)
    block.comment = commentOf(['It can also have:', ...absent.map(([name, words]) => `  ${name}: ${words}`)])
}

/** Formats text as comment lines, each starting with `# `. */
function commentOf(lines: readonly string[]): string {
  return lines
    .flatMap(line => folded(line))
    .map(line => ` ${line}`)
    .join('\n')
}

function folded(line: string): string[] {
  const margin = /^ */.exec(line)![0]
  const rows: string[] = []
  let row = margin
  for (const word of line.trim().split(' ')) {
    const isFirst = row.trim() === ''
    if (!isFirst && row.length + 1 + word.length > COMMENT_WIDTH) {
      rows.push(row)
      row = `${margin}  ${word}`
    } else row = isFirst ? row + word : `${row} ${word}`
  }
  return [...rows, row]
}
