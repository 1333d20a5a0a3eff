import { CsvError, parse as parseCsv } from 'csv-parse/sync'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import type { TextPlace } from '../../lib/text-place.ts'
import { readYaml, type Read, type TextProblem } from '../../lib/yaml/yaml-reading.ts'

/**
 * Reads a text file that a suite file names, relative to it, and returns it with its path for messages.
 * @throws errors of the file system, and an Error whose message ends a sentence that names the file
 */
export type ReadBeside = (name: string) => { path: string; read: Read<string> }

type Place = Pick<TextProblem, 'line' | 'column' | 'file'>
/** A row of a table, counted from 1, with the place where it was written. */
export type Row = { number: number; columns: JsonObject; place: Place }
/** The rows of a table, with the names of all columns. */
export type Table = { rows: readonly Row[]; columns: ReadonlySet<string> }
/** The files with rows that one suite names, and how many characters the others may have. Each is read once. */
export type TableFiles = { beside: ReadBeside | undefined; known: Map<string, Read<Table>>; left: number }
type Written = { value: unknown; place: Place }

const MOST_ROWS = BOUNDS.tableRows.most
const EXAMPLE = 'such as {city: Oslo}'

/**
 * Reads the table behind `each:`, a list of rows or the name of a file with them.
 * @param at finds the places of its parts
 * @param files reads a file; without a way to read one, there are no files beside the text
 */
export function readRows(
  each: unknown,
  at: (path: readonly PropertyKey[]) => TextPlace,
  files: TableFiles,
): Read<Table> {
  if (Array.isArray(each))
    return checked(
      each.map((value, index) => ({ value, place: at([index]) })),
      at([]),
    )
  if (!isPlainObject(each) || typeof each['file'] !== 'string' || Object.keys(each).length > 1)
    return refused(at([]), `"each" must be a list of rows, ${EXAMPLE}, or {file: rows.jsonl}.`)
  return rowsOfFile(each['file'], at(['file']), files)
}

function rowsOfFile(name: string, place: Place, files: TableFiles): Read<Table> {
  const { beside, known } = files
  const earlier = known.get(name)
  if (earlier) return earlier
  if (!beside) return refused(place, 'There are no files beside a text in the editor; write the rows here, as a list.')
  const [, extension = ''] = /\.(\w+)$/.exec(name.toLowerCase()) ?? []
  const parse = PARSERS[extension]
  if (!parse)
    return refused(
      place,
      'Write the rows into a .csv file, a .jsonl file with a JSON object a line, or as a list into .yaml.',
    )
  let found: ReturnType<ReadBeside>
  try {
    found = beside(name)
  } catch (error) {
    return refused(place, `The file ${name} cannot be read: ${systemErrorReason(error)}.`)
  }
  const { path: file, read } = found
  if (read.ok) files.left -= read.value.length
  if (files.left < 0)
    return refused(place, `The files with rows have more than ${BOUNDS.tableFiles.most} characters in all.`)
  const rows = read.ok ? parse(read.value, file) : read
  const table = rows.ok
    ? checked(rows.value, { file, line: 1, column: 1 })
    : { ok: false as const, problems: rows.problems.map(problem => ({ file, ...problem })) }
  known.set(name, table)
  return table
}

/** Parsers of files, by the end of their names. */
const PARSERS: Readonly<Record<string, (text: string, file: string) => Read<Written[]>>> = {
  csv: recordsOf,
  jsonl: linesOf,
  ndjson: linesOf,
  json: listOf,
  yaml: listOf,
  yml: listOf,
}

/**
 * Reads comma-separated values below a line with the names of the columns. Outside of quotes, numbers, `true` and
 * `false` are such values; everything else is text.
 */
function recordsOf(text: string, file: string): Read<Written[]> {
  let records: CsvRecord[]
  try {
    // The names, and one row more than allowed, which is enough to tell.
    const read: unknown[] = parseCsv(text, {
      bom: true,
      cast: (value, { quoting, records: before }) => (quoting || before === 0 ? value : plainValue(value)),
      info: true,
      skip_empty_lines: true,
      to: MOST_ROWS + 2,
    })
    records = read as CsvRecord[]
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    return refused({ line: Number(error['lines'] ?? 1), column: 1 }, `This is not CSV: ${error.message}.`)
  }
  const [{ record, info: { lines: line } } = NO_RECORD, ...rows] = records
  const names = record as string[]
  const seen = new Set<string>()
  const wrong = names.find(name => name === '' || seen.size === seen.add(name).size)
  if (wrong === '') return refused({ line, column: 1 }, 'A column has no name.')
  if (wrong !== undefined) return refused({ line, column: 1 }, `The name ${wrong} is here twice.`)
  return {
    ok: true,
    value: rows.map(row => ({
      value: Object.fromEntries(names.map((name, index) => [name, row.record[index]])),
      place: { file, line: row.info.lines, column: 1 },
    })),
  }
}

/** A record with the number of its last line. */
type CsvRecord = { record: unknown[]; info: { lines: number } }

/** Returns the number or truth value of a text; the text itself if the number would be written in another way. */
function plainValue(text: string): unknown {
  if (text === 'true' || text === 'false') return text === 'true'
  const number = Number(text)
  return Number.isFinite(number) && String(number) === text ? number : text
}

const NO_RECORD: CsvRecord = { record: [], info: { lines: 1 } }

/** Reads one JSON object a line. */
function linesOf(text: string, file: string): Read<Written[]> {
  const lines = text.split('\n').flatMap((written, index) => (written.trim() === '' ? [] : [{ written, index }]))
  const rows: Written[] = []
  // One more than allowed is enough to tell.
  for (const { written, index } of lines.slice(0, MOST_ROWS + 1)) {
    const line = index + 1
    try {
      JSON.parse(written)
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error)
      return refused({ line, column: 1 }, `This line is not JSON: ${why}.`)
    }
    // JSON is YAML, and reading it as such refuses duplicate names and numbers that would be rounded.
    const read = readYaml(written)
    if (!read.ok) return { ok: false, problems: read.problems.map(problem => ({ ...problem, line })) }
    rows.push({ value: read.value[0]?.value, place: { file, line, column: 1 } })
  }
  return { ok: true, value: rows }
}

/** Reads a list of rows. */
function listOf(text: string, file: string): Read<Written[]> {
  const read = readYaml(text)
  if (!read.ok) return read
  const [document, second] = read.value
  const rows: unknown = document?.value ?? []
  if (second || !Array.isArray(rows))
    return refused((second ?? document)!.at([]), `A file of rows is one list of them, ${EXAMPLE}.`)
  return { ok: true, value: rows.map((value, index) => ({ value, place: { file, ...document!.at([index]) } })) }
}

function checked(rows: readonly Written[], start: Place): Read<Table> {
  if (rows.length === 0) return refused(start, 'The table has no row; it needs at least one.')
  const beyond = rows[MOST_ROWS]
  if (beyond) return refused(beyond.place, `A table has at most ${MOST_ROWS} rows; the rest from here on is too much.`)
  const problems = rows.flatMap(({ value, place }, index) =>
    isPlainObject(value) ? [] : [{ ...place, message: `Row ${index + 1} must be a block of columns, ${EXAMPLE}.` }],
  )
  if (problems.length > 0) return { ok: false, problems }
  const made = rows.map(({ value, place }, index) => ({ number: index + 1, columns: value as JsonObject, place }))
  return { ok: true, value: { rows: made, columns: new Set(made.flatMap(row => Object.keys(row.columns))) } }
}

function refused(place: Place, message: string): Read<never> {
  return { ok: false, problems: [{ ...place, message }] }
}
