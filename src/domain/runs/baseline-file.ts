import * as z from 'zod'
import { shape, strictBody } from '../../api/contract/shapes.ts'
import { defined } from '../../lib/json.ts'
import { jsonText } from '../../lib/printable.ts'
import type { Read, TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { KEY_FIELDS, keyText, sortedLines, type BaselineLine } from './baseline.ts'

/**
 * The latest version, which is written if a line is quarantined; the first one is otherwise, so that older programs can
 * read it. Later versions are refused, since their lines may have another meaning, and writing would lose what this
 * program does not know.
 */
const VERSION = 2
const FIRST_VERSION = 1
const FORMAT = 'mcpdeck-baseline'

const Header = shape(() => strictBody({ format: z.literal(FORMAT), version: z.literal([FIRST_VERSION, VERSION]) }))
const Line = shape(() =>
  strictBody({
    suite: z.string(),
    case: z.string(),
    id: z.string().exactOptional(),
    environment: z.string().exactOptional(),
    client: z.string().exactOptional(),
    model: z.string().exactOptional(),
    provider: z.string().exactOptional(),
    verdict: z.enum(['passed', 'failed']),
    passed: z.int().min(1).exactOptional(),
    trials: z.int().min(1).exactOptional(),
    quarantine: strictBody({
      since: z.iso.date(),
      reason: z.string(),
      failures: z.array(z.string()).min(1),
    }).exactOptional(),
  }),
)

/** Writes a baseline: a header, then a line of JSON for each result in a fixed order, so that diffs are small. */
export function writeBaseline(lines: readonly BaselineLine[]): string {
  const written = sortedLines(lines).map(line => {
    const fields = KEY_FIELDS.flatMap(field => (line[field] === undefined ? [] : [[field, line[field]] as const]))
    const { verdict, passed, trials, quarantine } = line
    return jsonText(defined({ ...Object.fromEntries(fields), verdict, passed, trials, quarantine }))
  })
  const version = lines.some(({ quarantine }) => quarantine) ? VERSION : FIRST_VERSION
  return [jsonText({ format: FORMAT, version }), ...written].map(line => `${line}\n`).join('')
}

/** Parses a baseline, or returns everything that is wrong with it, with lines. */
export function readBaseline(text: string): Read<BaselineLine[]> {
  const [first = '', ...rest] = text.split(/\r?\n/)
  const header = headerProblem(first)
  if (header !== undefined) return { ok: false, problems: [at(1, header)] }
  const lines = new Map<string, { line: BaselineLine; at: number }>()
  const problems: TextProblem[] = []
  for (const [index, words] of rest.entries()) {
    if (words.trim() === '') continue
    const place = index + 2
    const value = parsed(words)
    const read = Line().safeParse(value)
    if (!read.success) {
      problems.push(at(place, value === undefined ? 'This is not JSON.' : lineProblem(read.error)))
      continue
    }
    const key = keyText(read.data)
    const earlier = lines.get(key)
    if (earlier) problems.push(at(place, `Line ${earlier.at} is of the same case in the same place already.`))
    else lines.set(key, { line: read.data, at: place })
  }
  return problems.length > 0 ? { ok: false, problems } : { ok: true, value: [...lines.values()].map(each => each.line) }
}

function at(line: number, message: string): TextProblem {
  return { line, column: 1, message }
}

function headerProblem(text: string): string | undefined {
  const value = parsed(text)
  if (Header().safeParse(value).success) return undefined
  const { format, version } = Object(value) as { format?: unknown; version?: unknown }
  if (format === FORMAT && typeof version === 'number' && version > VERSION)
    return `This baseline has version ${version}; a newer mcpdeck wrote it, and this one reads ${VERSION} at most.`
  return `This is no baseline: it does not begin with ${jsonText({ format: FORMAT, version: FIRST_VERSION })}.`
}

function lineProblem(error: z.ZodError): string {
  const [issue] = error.issues
  const field = issue?.path.join('.') ?? ''
  return field === '' ? `This is no result: ${issue?.message ?? 'unknown'}.` : `${field}: ${issue?.message ?? ''}.`
}

/** Returns undefined for a text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
