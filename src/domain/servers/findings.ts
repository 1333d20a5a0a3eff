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

/** Longest time for all schemas of a server, in milliseconds. */
const LIMIT_MS = 10_000

/** Something known about a server that is connected all the same, or that could not be checked. */
export type DoctorFinding = {
  /** `wrong` makes the report `warnings`; `advice` leaves it as it is. */
  kind: Rule['severity'] | 'unchecked'
  /** A sentence without its full stop; what it quotes is the server's. */
  text: string
  /** Of its rule; absent in what was stored before there were any, as are place and advice. */
  rule?: string | undefined
  /** Where in what the server offers: `tools/get-sum/inputSchema`. */
  place?: string | undefined
  /** What to do about it, as a sentence. */
  advice?: string | undefined
}

/** The report before this one, as far as they differ. */
export type SinceLast = { generatedAt: DoctorReport['generatedAt']; fresh: readonly string[]; gone: readonly string[] }

/** A doctor's report with what mcpdeck finds in it; the findings never travel. */
export type ExaminedReport = DoctorReport & {
  findings: readonly DoctorFinding[]
  /** About how many tokens the tool list costs a model. */
  toolTokens?: number | undefined
  /** Texts of the findings that the report before did not have, and of those that it alone had. */
  since?: SinceLast | undefined
}

/** A tool's result that is known from an earlier call or trial. */
export type KnownResult = { tool: string; structuredContent?: unknown } & Partial<Pick<RecordedResult, 'of' | 'at'>>

/** Most findings of one rule; the rest is counted. */
const MOST = 10

/**
 * What a report is to be called: its status, except that `ready` is `warnings` with something known to be wrong, and
 * `off` of a server that is switched off, and `not known` where nobody here knows whether it is.
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
 * What the rules find in a report. Schemas are compiled elsewhere, within bounds; nothing is called for it.
 * @param before the report before, which this one is compared with
 */
export async function examined(
  report: DoctorReport,
  { results = [], before }: { results?: readonly KnownResult[]; before?: ExaminedReport | undefined } = {},
): Promise<ExaminedReport> {
  const tools = report.tools ?? []
  const schemas = await checkedSchemas(tools)
  const subject: Subject = { report, tools, schemas, results: await wrongResults(tools, results) }
  const findings = RULES.flatMap(rule => findingsOf(rule, subject))
  const found = { ...report, findings, ...(tools.length > 0 && { toolTokens: tokensOf(tools) }) }
  return before ? { ...found, since: sinceOf(found, before) } : found
}

/** Undefined where either cannot be compared: a listing that failed has no findings, and old reports no rules. */
function sinceOf(now: ExaminedReport, before: ExaminedReport): SinceLast | undefined {
  const isKnown = ({ status, findings }: ExaminedReport) =>
    status === 'ready' && findings.every(({ rule }) => rule !== undefined)
  if (!isKnown(now) || !isKnown(before)) return undefined
  const without = (some: ExaminedReport, others: ExaminedReport): string[] => {
    const known = new Set(others.findings.map(keyOf))
    // One finding about most tools says nothing of each, so neither of them is new or gone beside it.
    const gathered = new Set(others.findings.filter(({ place }) => place === WHOLE).map(({ rule }) => rule))
    const isTold = (finding: DoctorFinding) =>
      known.has(keyOf(finding)) || (finding.kind === 'advice' && gathered.has(finding.rule))
    return some.findings.filter(finding => !isTold(finding)).map(({ text }) => text)
  }
  return { generatedAt: before.generatedAt, fresh: without(now, before), gone: without(before, now) }
}

/** Its text may hold times; two of one rule at one place are one. */
function keyOf({ kind, rule, place }: DoctorFinding): string {
  return JSON.stringify([kind, rule, place?.slice(0, LONGEST_KEY)])
}

const LONGEST_KEY = 500

/** The place of what most tools lack. */
const WHOLE = 'tools/*'
/** What at least so many of a server's tools lack, and this share of them, is one finding about the server. */
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
 * Why structured content is not what the tool promises (MCP 2025-11-25, “Output Schema”); undefined where it is, or
 * where that cannot be told.
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

/** What {@link resultFault} found, as a sentence. */
export function mismatchText(fault: string): string {
  return `The result does not match the tool’s output schema: ${fault}.`
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

function outOfTime(limitMs: number): { kind: 'unchecked'; why: string } {
  return { kind: 'unchecked', why: `checking all of them took longer than ${limitMs / 1000} s` }
}

async function verdictOn(schema: unknown, limitMs: number): Promise<SchemaVerdict> {
  const checked = await checkSchema(schema as Record<string, unknown> | null, limitMs)
  if (!('unusable' in checked)) return { kind: 'fine' }
  return { kind: checked.isLimit === true ? 'unchecked' : 'wrong', why: checked.unusable }
}
