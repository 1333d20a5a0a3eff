import type { RecordedResult } from '../../api/contract/calls.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import { utcTime } from '../../lib/times.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import { checkArguments, checkSchema, SCHEMA_LIMIT_MS } from './arguments-check.ts'
import { tokensOf } from './rule-facts.ts'
import {
  listed,
  type CheckedSchema,
  type Found,
  type Rule,
  type SchemaVerdict,
  type Subject,
  type WrongResult,
} from './rule.ts'
import { RULES } from './rules.ts'

/** Time limit for all schemas of a server, in milliseconds. */
const LIMIT_MS = 10_000

/** A finding about a server that connected nevertheless, or a check that could not be made. */
export type DoctorFinding = {
  /** `wrong` makes the report `warnings`; `advice` does not change its status. */
  kind: Rule['severity'] | 'unchecked'
  /** A sentence without its full stop. Quotations are from the server. */
  text: string
  /** Name of its rule. Like place and advice, it is absent in reports stored before rules existed. */
  rule?: string | undefined
  /** Place in what the server offers, such as `tools/get-sum/inputSchema`. */
  place?: string | undefined
  /** Advice about the finding, as a sentence. */
  advice?: string | undefined
}

/** Differences from the previous report. */
export type SinceLast = { generatedAt: DoctorReport['generatedAt']; fresh: readonly string[]; gone: readonly string[] }

/** A doctor's report with mcpdeck's findings, which are never sent. */
export type ExaminedReport = DoctorReport & {
  findings: readonly DoctorFinding[]
  /** Approximate number of tokens that a model needs for the tool list. */
  toolTokens?: number | undefined
  /** Texts of the findings that only this report has, and that only the previous one had. */
  since?: SinceLast | undefined
}

/** A tool's result from an earlier call or trial. */
export type KnownResult = { tool: string; structuredContent?: unknown } & Partial<Pick<RecordedResult, 'of' | 'at'>>

/** The recorded results of a server. `unread` says why they could not be read. */
type Known = { results?: readonly KnownResult[]; unread?: string }

/** Maximum number of listed findings of one rule. The rest is counted. */
const MOST = 10

/**
 * Returns the displayed status of a report: its status, except that `ready` becomes `warnings` if something is wrong,
 * `off` for a server that is switched off, and `not known` if it is unknown whether it is switched off.
 */
export function stateOf(
  { status, findings }: Pick<ExaminedReport, 'status' | 'findings'>,
  { enabled }: { enabled: boolean | undefined },
): string {
  if (status !== 'ready') return status
  if (findings.some(({ kind }) => kind === 'wrong')) return 'warnings'
  return enabled === true ? status : enabled === false ? 'off' : 'not known'
}

/**
 * Adds the findings of the rules to a report. Schemas are compiled elsewhere, within limits. No tool is called.
 * @param before the previous report, for comparison
 */
export async function examined(
  report: DoctorReport,
  { results = [], unread, before }: Known & { before?: ExaminedReport | undefined } = {},
): Promise<ExaminedReport> {
  const tools = report.tools ?? []
  const schemas = await checkedSchemas(tools)
  const subject: Subject = { report, tools, schemas, results: await wrongResults(tools, results) }
  const findings = [...RULES.flatMap(rule => findingsOf(rule, subject)), ...notCompared(tools, unread)]
  const found = { ...report, findings, ...(tools.length > 0 && { toolTokens: tokensOf(tools) }) }
  return before ? { ...found, since: sinceOf(found, before) } : found
}

function notCompared(tools: readonly Tool[], unread: string | undefined): DoctorFinding[] {
  if (unread === undefined || tools.every(({ outputSchema }) => outputSchema === undefined)) return []
  const why = unread.replace(/\.$/, '')
  const text = `Recorded results were not compared with output schemas: ${why}`
  return [{ kind: 'unchecked', rule: 'result', text }]
}

/**
 * Returns undefined if either report cannot be compared: a failed listing has no findings, and old reports have no
 * rules.
 */
function sinceOf(now: ExaminedReport, before: ExaminedReport): SinceLast | undefined {
  const isKnown = ({ status, findings }: ExaminedReport) =>
    status === 'ready' && findings.every(({ rule }) => rule !== undefined)
  if (!isKnown(now) || !isKnown(before)) return undefined
  const without = (some: ExaminedReport, others: ExaminedReport): string[] => {
    const known = new Set(others.findings.map(keyOf))
    // A finding about most tools does not name them, so findings about single tools are neither new nor gone.
    const gathered = new Set(others.findings.filter(({ place }) => place === WHOLE).map(({ rule }) => rule))
    const isTold = (finding: DoctorFinding) =>
      known.has(keyOf(finding)) || (finding.kind === 'advice' && gathered.has(finding.rule))
    return some.findings.filter(finding => !isTold(finding)).map(({ text }) => text)
  }
  return { generatedAt: before.generatedAt, fresh: without(now, before), gone: without(before, now) }
}

/**
 * Returns what identifies a finding. The text may contain times; two findings of one rule at one place are the same.
 */
function keyOf({ kind, rule, place }: DoctorFinding): string {
  return JSON.stringify([kind, rule, place?.slice(0, LONGEST_KEY)])
}

const LONGEST_KEY = 500

/** The place of a finding about most tools. */
const WHOLE = 'tools/*'
/** Minimum number and share of a server's tools that lack something for it to be one finding about the server. */
const MOST_TOOLS = { count: 3, share: 1 / 2 }

function gathered(found: readonly Found[], all: number): readonly Found[] {
  const kinds = Map.groupBy(found, ({ lacking }) => lacking?.what)
  return [...kinds].flatMap(([what, own]): readonly Found[] => {
    if (what === undefined || own.length < MOST_TOOLS.count || own.length < all * MOST_TOOLS.share) return own
    const names = listed(own.flatMap(({ lacking }) => lacking?.tool ?? []))
    const text =
      own.length === all ? `All its ${all} tools ${what}` : `${own.length} of its ${all} tools ${what}: ${names}`
    return [{ place: WHOLE, text }]
  })
}

function findingsOf({ id: rule, severity, advice, more, find }: Rule, subject: Subject): DoctorFinding[] {
  const found = gathered(find(subject), subject.tools.length)
  return ([severity, 'unchecked'] as const).flatMap(kind => {
    const own = found.filter(each => (each.kind ?? severity) === kind)
    const rest = own.length - MOST
    const says = kind === 'unchecked' ? 'schemas are not checked' : more
    return [
      ...own.slice(0, MOST).map(({ place, text }): DoctorFinding => ({ kind, rule, place, text, advice })),
      ...(rest > 0
        ? [{ kind, rule, place: 'more', text: `${rest} more ${says}`, advice } satisfies DoctorFinding]
        : []),
    ]
  })
}

async function checkedSchemas(tools: readonly Tool[]): Promise<CheckedSchema[]> {
  const schemas = tools.flatMap(({ name, inputSchema, outputSchema }) => [
    { tool: name, which: 'inputSchema' as const, schema: inputSchema },
    ...(outputSchema ? [{ tool: name, which: 'outputSchema' as const, schema: outputSchema }] : []),
  ])
  const end = performance.now() + LIMIT_MS
  const verdicts = await checkSchemas(schemas.map(({ schema }) => schema))
  const checked: CheckedSchema[] = []
  for (const [at, { tool, which, schema }] of schemas.entries()) {
    const verdict = verdicts[at] ?? outOfTime(LIMIT_MS)
    const left = end - performance.now()
    const isLookedAt = verdict.kind !== 'unchecked' && left > 0
    const outcome = isLookedAt
      ? await inThread('schemaFaults', { schema: schema ?? {} }, Math.min(left, SCHEMA_LIMIT_MS))
      : { why: outOfTime(LIMIT_MS).why }
    const found = 'answer' in outcome ? outcome.answer : { faults: [], refused: [], unchecked: outcome.why }
    checked.push({ tool, which, isOfObject: Object(schema).type === 'object', verdict, ...found })
  }
  return checked
}

async function wrongResults(tools: readonly Tool[], results: readonly KnownResult[]): Promise<WrongResult[]> {
  const wrong: WrongResult[] = []
  for (const { tool, structuredContent, of, at } of results) {
    const schema = tools.find(({ name }) => name === tool)?.outputSchema
    const why = schema && (await resultFault(schema, structuredContent))
    const time = toEpochMs(at)
    const from = of && time !== undefined ? `, of the ${of} at ${utcTime(time, 'minutes')},` : ''
    if (why) wrong.push({ tool, why, from })
  }
  return wrong
}

/**
 * Returns why structured content does not match the tool's output schema (MCP 2025-11-25, “Output Schema”); undefined
 * if it matches, or if that cannot be determined.
 */
export async function resultFault(
  schema: NonNullable<Tool['outputSchema']>,
  content: unknown,
): Promise<string | undefined> {
  if (typeof content !== 'object' || content === null) return 'it has no structured content'
  const verdict = await checkArguments(schema, { ...content })
  const [fault] = 'faults' in verdict ? verdict.faults : []
  if (!fault) return undefined
  const why = fault.message.replace('an argument of this tool', 'among its fields')
  return fault.name === undefined ? why : `\`${fault.name}\` ${why}`
}

/** Returns the result of {@link resultFault} as a sentence. */
export function mismatchText(fault: string): string {
  return `The result does not match the tool’s output schema: ${fault}.`
}

/** Compiles schemas of a server outside the screen's thread, each within its own limit and all within `limitMs`. */
export async function checkSchemas(schemas: readonly unknown[], limitMs: number = LIMIT_MS): Promise<SchemaVerdict[]> {
  const end = performance.now() + limitMs
  const verdicts: SchemaVerdict[] = []
  for (const schema of schemas) {
    const left = end - performance.now()
    verdicts.push(left > 0 ? await verdictOn(schema, Math.min(left, SCHEMA_LIMIT_MS)) : outOfTime(limitMs))
  }
  return verdicts
}

function outOfTime(limitMs: number): { kind: 'unchecked'; why: string } {
  return { kind: 'unchecked', why: `checking all of them took longer than ${limitMs / 1000} s` }
}

async function verdictOn(schema: unknown, limitMs: number): Promise<SchemaVerdict> {
  const checked = await checkSchema(schema as Record<string, unknown> | null, limitMs)
  if (!('unusable' in checked)) return { kind: 'fine' }
  return { kind: checked.isLimit === true ? 'unchecked' : 'wrong', why: checked.unusable }
}
