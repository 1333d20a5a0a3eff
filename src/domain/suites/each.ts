import { BOUNDS } from '../../lib/bounds.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { printable } from '../../lib/printable.ts'
import { MOST_PROBLEMS, type Read, type TextProblem, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { namesStep, noStepResult, PLACEHOLDER, placeholdersIn } from './placeholders.ts'
import { readRows, type ReadBeside, type Row, type Table, type TableFiles } from './rows.ts'

type Path = readonly PropertyKey[]

/** A suite's document in which every case is one that a service can store. */
export type PlainSuite = {
  document: YamlDocument
  /** The tags of each case. The service has no field for them. */
  tags: readonly (readonly string[])[]
}

/** A case as it is sent, with its place among the written ones, and the row that was filled in. */
type Made = { form: unknown; at: number; row?: Row; rows: number }

/**
 * Fills the rows of `each:` into its case, and takes the tags from the cases. What a suite file cannot have, such as
 * setup steps, is refused. Other documents stay as they are.
 * @param beside reads files with rows; without it, rows are only in the text
 */
export function plainSuite(document: YamlDocument, beside?: ReadBeside): Read<PlainSuite> {
  const { value } = document
  if (!isPlainObject(value) || !Array.isArray(value['cases'])) return { ok: true, value: { document, tags: [] } }
  const problems: TextProblem[] = hooksIn(value, document)
  const meter: Meter = { left: BOUNDS.filledCases.most }
  const files: TableFiles = { beside, known: new Map(), left: BOUNDS.tableFiles.most }
  const made: Made[] = []
  for (const [at, written] of (value['cases'] as unknown[]).entries()) {
    const read =
      isPlainObject(written) && Object.hasOwn(written, 'each') ? filledCases(document, at, files, meter) : undefined
    if (!read) made.push({ form: written, at, rows: 0 })
    else if (read.ok) made.push(...read.value)
    else problems.push(...read.problems)
    if (problems.length >= MOST_PROBLEMS) break
  }
  problems.push(...tagProblems(made, document), ...clashes(made, document))
  if (problems.length > 0)
    return {
      ok: false,
      problems: problems.slice(0, MOST_PROBLEMS).map(each => ({ ...each, message: printable(each.message) })),
    }
  const cases = made.map(({ form }) => (isPlainObject(form) ? without(form, 'tags') : form))
  return {
    ok: true,
    value: {
      document: { value: { ...value, cases }, ...placesOf(document, made) },
      tags: made.map(({ form }) => (isPlainObject(form) ? [...new Set(tagsOf(form))] : [])),
    },
  }
}

/** Returns how the parts of the filled document are found in what was written. */
function placesOf(document: YamlDocument, made: readonly Made[]): Pick<YamlDocument, 'at' | 'origin'> {
  const writtenAt = ([part, index, ...rest]: Path) => {
    const found = part === 'cases' ? made[Number(index)] : undefined
    return found && { found, path: ['cases', found.at, ...rest] }
  }
  return {
    at: (path, onKey) => document.at(path.length > 1 ? (writtenAt(path)?.path ?? path) : path, onKey),
    origin(path) {
      const { found, path: written } = writtenAt(path) ?? {}
      return found?.row && written && { path: written, row: found.row.number, rows: found.rows }
    },
  }
}

const HOOKS = {
  setup: 'No service runs setup steps. Put these calls first among the steps of each case that needs them.',
  teardown:
    'No service runs teardown steps. Put these calls last among the steps of a case; they are skipped if an earlier ' +
    'call breaks off.',
}

function hooksIn(value: JsonObject, document: YamlDocument): TextProblem[] {
  const blocks: [Path, unknown][] = [
    [[], value],
    [['suite'], value['suite']],
    ...(value['cases'] as unknown[]).map((each, index): [Path, unknown] => [['cases', index], each]),
  ]
  return blocks.flatMap(([path, block]) =>
    Object.entries(HOOKS).flatMap(([name, message]) =>
      isPlainObject(block) && Object.hasOwn(block, name) ? [{ ...document.at([...path, name], true), message }] : [],
    ),
  )
}

/** Counts what filling in makes, so that a short text with many rows cannot become a huge one. */
type Meter = { left: number }

/** Returns a case for each row of its table. */
function filledCases(document: YamlDocument, at: number, files: TableFiles, meter: Meter): Read<Made[]> {
  const path = ['cases', at]
  const { each, ...form } = ((document.value as JsonObject)['cases'] as JsonObject[])[at]!
  const table = readRows(each, inner => document.at([...path, 'each', ...inner]), files)
  if (!table.ok) return table
  const { rows } = table.value
  const problems = columnProblems(form, table.value, document, path)
  const made: Made[] = []
  if (problems.length === 0)
    for (const row of rows) {
      const fill = { row, meter, problems }
      made.push({ form: filled(form, [], fill), at, row, rows: rows.length })
      if (problems.length >= MOST_PROBLEMS) break
      if (meter.left >= 0) continue
      const message = `The rows make more than ${BOUNDS.filledCases.most} characters of cases; fill in less.`
      problems.push({ ...document.at([...path, 'each'], true), message })
      break
    }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: made }
}

/** Returns a problem for each placeholder without a column, and for each row without a column that is used. */
function columnProblems(form: JsonObject, { rows, columns }: Table, document: YamlDocument, path: Path): TextProblem[] {
  const used = placeholdersIn(form)
  const wrong = used.filter(({ name, isInName }) => isInName || !columns.has(name)).slice(0, MOST_PROBLEMS)
  if (wrong.length > 0)
    return wrong.map(({ name, path: at, isInName }) => {
      const place = document.at([...path, ...at], isInName)
      if (isInName)
        return { ...place, message: `"{{${name}}}" is in front of a colon; columns are only filled in behind it.` }
      if (namesStep(name, form['steps'])) return { ...place, message: noStepResult(name) }
      return { ...place, message: `The table has no column "${name}".${likeColumns(name, [...columns])}` }
    })
  const names = [...new Set(used.map(({ name }) => name))]
  const problems: TextProblem[] = []
  for (const { number, columns: own, place } of rows) {
    const missing = names.filter(name => !Object.hasOwn(own, name))
    problems.push(...missing.map(name => ({ ...place, message: `Row ${number} has no column "${name}".` })))
    if (problems.length >= MOST_PROBLEMS) break
  }
  return problems
}

/** Maximum number of columns that a message lists. */
const MOST_LISTED = 20

function likeColumns(name: string, columns: readonly string[]): string {
  const more = columns.length - MOST_LISTED
  const rest = more > 0 ? ` and ${more} more` : ''
  return `${didYouMean(name, columns)} It has: ${columns.slice(0, MOST_LISTED).join(', ')}${rest}.`
}

type Fill = { row: Row; meter: Meter; problems: TextProblem[] }

/** Fields that hold text. Everywhere else, a value that is only a placeholder becomes the value of the column. */
const TEXT_FIELDS: ReadonlySet<string> = new Set([
  'id',
  'title',
  'expectedOutput',
  'scenario',
  'tags.*',
  'models.*.model',
  'models.*.provider',
  ...['id', 'kind', 'prompt', 'serverName', 'toolName'].map(name => `steps.*.${name}`),
])

function filled(value: unknown, path: Path, fill: Fill): unknown {
  const { meter } = fill
  if (meter.left < 0) return value
  if (typeof value === 'string') return filledText(value, path, fill)
  meter.left -= 1
  if (Array.isArray(value)) return value.map((each, index) => filled(each, [...path, index], fill))
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      meter.left -= name.length
      return [name, filled(each, [...path, name], fill)]
    }),
  )
}

function filledText(text: string, path: Path, { row, meter, problems }: Fill): unknown {
  const field = path.map(part => (typeof part === 'number' ? '*' : String(part))).join('.')
  const [whole, name = ''] = /^\{\{([^{}]*)\}\}$/.exec(text) ?? []
  if (whole !== undefined && !TEXT_FIELDS.has(field)) {
    const value = row.columns[name.trim()]
    meter.left -= JSON.stringify(value).length
    return value
  }
  let size = text.length
  const result = text.replaceAll(PLACEHOLDER, (_, inner: string) => {
    const column = inner.trim()
    const value = row.columns[column]
    if (size > meter.left) return ''
    if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') {
      const kind = value === null ? 'empty' : Array.isArray(value) ? 'a list' : 'a block'
      const message = `The column "${column}" of row ${row.number} is ${kind}, and "${path.join('.')}" is a text.`
      problems.push({ ...row.place, message })
      return ''
    }
    size += String(value).length
    return String(value)
  })
  meter.left -= size
  return result
}

function tagsOf(form: JsonObject): string[] {
  return Array.isArray(form['tags']) ? (form['tags'] as string[]) : []
}

/** Returns a problem for each written case with wrong tags. If a row gives them, the first such row is named. */
function tagProblems(made: readonly Made[], document: YamlDocument): TextProblem[] {
  const wrong = new Map<number, Made>()
  for (const each of made) if (!wrong.has(each.at) && !hasFitTags(each)) wrong.set(each.at, each)
  return [...wrong.values()].map(({ at, row }) => {
    const message = '"tags" must be a list of texts, such as [smoke].'
    return { ...document.at(['cases', at, 'tags']), message: row ? `Row ${row.number}: ${message}` : message }
  })
}

function hasFitTags({ form }: Made): boolean {
  if (!isPlainObject(form) || !Object.hasOwn(form, 'tags')) return true
  const { tags } = form
  return Array.isArray(tags) && tags.every(tag => typeof tag === 'string' && tag.trim() !== '')
}

/** Returns titles and ids that a row gives to its case although another case has them. */
function clashes(made: readonly Made[], document: YamlDocument): TextProblem[] {
  return ['title', 'id'].flatMap(field => {
    const seen = new Map<unknown, Made>()
    const reported = new Set<number>()
    return made.flatMap(each => {
      const value = isPlainObject(each.form) ? each.form[field] : undefined
      const earlier = seen.get(value)
      if (typeof value === 'string' && !earlier) seen.set(value, each)
      if (!earlier || !(each.row ?? earlier.row) || reported.has(each.at)) return []
      reported.add(each.at)
      return [
        { ...document.at(['cases', each.at, field]), message: clash(field, value as string, earlier, each, document) },
      ]
    })
  })
}

function clash(field: string, value: string, earlier: Made, later: Made, document: YamlDocument): string {
  if (earlier.at === later.at)
    return (
      `Rows ${earlier.row?.number} and ${later.row?.number} both give the ${field} "${value}"; put a column that ` +
      'differs into it.'
    )
  const where = ({ at, row }: Made) =>
    row ? `row ${row.number} of line ${lineOf(at)}` : `the case at line ${lineOf(at)}`
  const lineOf = (at: number) => document.at(['cases', at]).line
  return `Both ${where(earlier)} and ${where(later)} have the ${field} "${value}".`
}

function without(form: JsonObject, field: string): JsonObject {
  const { [field]: _, ...rest } = form
  return rest
}
