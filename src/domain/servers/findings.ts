import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import { checkSchema, SCHEMA_LIMIT_MS } from './arguments-check.ts'

/** What came of compiling a schema. */
type SchemaVerdict = { kind: 'fine' } | { kind: 'wrong' | 'unchecked'; why: string }

/** Longest time for all schemas of a server, in milliseconds. */
const LIMIT_MS = 10_000

/** Something known to be wrong with a server that is connected all the same, or that could not be checked. */
export type DoctorFinding = {
  kind: 'wrong' | 'unchecked'
  /** A sentence without its full stop; what it quotes is the server's. */
  text: string
}

/** A doctor's report with what mcpdeck finds in it; the findings never travel. */
export type ExaminedReport = DoctorReport & { findings: readonly DoctorFinding[] }

/** A listing that takes longer keeps clients waiting at their start, in milliseconds. */
const SLOW_MS = 3_000
const LISTINGS = ['tools', 'resources', 'resourceTemplates', 'prompts']
/** Most findings of one kind; the rest is counted. */
const MOST = 10

/** What a report is to be called: its status, except that `ready` with something known to be wrong is `warnings`. */
export function stateOf({ status, findings }: Pick<ExaminedReport, 'status' | 'findings'>): string {
  return status === 'ready' && findings.some(({ kind }) => kind === 'wrong') ? 'warnings' : status
}

/**
 * What is wrong as far as the report shows it: output, time, names and schemas. Schemas are compiled elsewhere, within
 * bounds.
 */
export async function examined(report: DoctorReport): Promise<ExaminedReport> {
  const tools = report.tools ?? []
  const findings = [
    ...strayOutput(report),
    ...slowListings(report),
    ...limited('tool names', tools.flatMap(nameFindings)),
    ...limited('tool names', duplicates(tools)),
    ...limited('schemas', await schemaFindings(tools)),
  ]
  return { ...report, findings }
}

function wrong(text: string): DoctorFinding {
  return { kind: 'wrong', text }
}

function strayOutput({ probe }: DoctorReport): DoctorFinding[] {
  const { lines, first } = Object(probe?.['strayOutput']) as { lines?: unknown; first?: unknown }
  if (typeof lines !== 'number' || !(lines > 0)) return []
  const what = lines === 1 ? 'a line that is no message' : `${lines} lines that are no messages`
  const quoted = typeof first === 'string' && first !== '' ? `, first: ${first}` : ''
  return [wrong(`It prints ${what} of MCP to stdout, which belongs to the protocol alone${quoted}`)]
}

function slowListings({ checks }: DoctorReport): DoctorFinding[] {
  return LISTINGS.flatMap(step => {
    const { status, durationMs } = checks[step] ?? {}
    if (status !== 'ok' || typeof durationMs !== 'number' || !(durationMs >= SLOW_MS)) return []
    return [wrong(`Listing its ${step} takes ${(durationMs / 1000).toFixed(1)} s, and every client waits for it`)]
  })
}

/** MCP 2025-11-25, "Tool Names". */
function nameFindings({ name }: Tool): DoctorFinding[] {
  if (/^[\w.-]{1,128}$/.test(name)) return []
  const why = name.length > 128 ? 'is longer than 128 characters' : 'has other characters than A-Z a-z 0-9 _ - .'
  return [wrong(`The tool name ${JSON.stringify(name)} ${name === '' ? 'is empty' : why}`)]
}

function duplicates(tools: readonly Tool[]): DoctorFinding[] {
  const seen = new Set<string>()
  const twice = new Set<string>()
  for (const { name } of tools) {
    if (seen.has(name)) twice.add(name)
    seen.add(name)
  }
  return [...twice].map(name => wrong(`Several tools have the name ${JSON.stringify(name)}`))
}

async function schemaFindings(tools: readonly Tool[]): Promise<DoctorFinding[]> {
  const schemas = tools.flatMap(({ name, inputSchema, outputSchema }) => [
    { name, which: 'input schema', schema: inputSchema },
    ...(outputSchema ? [{ name, which: 'output schema', schema: outputSchema }] : []),
  ])
  const verdicts = await checkSchemas(schemas.map(({ schema }) => schema))
  return schemas.flatMap(({ name, which }, at) => {
    const finding = sentenceOf(`The ${which} of ${JSON.stringify(name)}`, verdicts[at])
    return finding ? [finding] : []
  })
}

function sentenceOf(what: string, verdict: SchemaVerdict | undefined): DoctorFinding | undefined {
  if (!verdict || verdict.kind === 'unchecked')
    return { kind: 'unchecked', text: `${what} is not checked: ${verdict?.why ?? 'no answer'}` }
  return verdict.kind === 'wrong' ? wrong(`${what} does not compile: ${verdict.why}`) : undefined
}

function limited(what: string, findings: readonly DoctorFinding[]): DoctorFinding[] {
  return (['wrong', 'unchecked'] as const).flatMap(kind => {
    const all = findings.filter(finding => finding.kind === kind)
    const more = all.length - MOST
    const rest = kind === 'wrong' ? 'wrong' : 'not checked'
    return [
      ...all.slice(0, MOST),
      ...(more > 0 ? [{ kind, text: `${more} more ${what} are ${rest}` } satisfies DoctorFinding] : []),
    ]
  })
}

/**
 * Compiles schemas of somebody else's server apart from the screen's thread: each for as long as one may take, and all
 * of them within `limitMs`.
 */
export async function checkSchemas(schemas: readonly unknown[], limitMs: number = LIMIT_MS): Promise<SchemaVerdict[]> {
  const end = performance.now() + limitMs
  const verdicts: SchemaVerdict[] = []
  for (const schema of schemas) {
    const left = end - performance.now()
    verdicts.push(left > 0 ? await verdictOn(schema, Math.min(left, SCHEMA_LIMIT_MS)) : outOfTime(limitMs))
  }
  return verdicts
}

function outOfTime(limitMs: number): SchemaVerdict {
  return { kind: 'unchecked', why: `checking all of them took longer than ${limitMs / 1000} s` }
}

async function verdictOn(schema: unknown, limitMs: number): Promise<SchemaVerdict> {
  const checked = await checkSchema(schema as Record<string, unknown> | null, limitMs)
  if (!('unusable' in checked)) return { kind: 'fine' }
  return { kind: checked.isLimit === true ? 'unchecked' : 'wrong', why: checked.unusable }
}
