import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import type { SchemaFault } from '../../lib/json-schema/faults.ts'
import type { RefusedPart } from '../../lib/json-schema/refused-parts.ts'

/** A tool's schema with the results of compiling and examining it. */
export type CheckedSchema = {
  tool: string
  which: 'inputSchema' | 'outputSchema'
  /** Whether its values must be objects. */
  isOfObject: boolean
  verdict: SchemaVerdict
  faults: readonly SchemaFault[]
  /** Parts that some clients refuse. */
  refused: readonly RefusedPart[]
  /** Why the faults are unknown. */
  unchecked?: string
}

/** The result of compiling a schema. */
export type SchemaVerdict = { kind: 'fine' } | { kind: 'wrong' | 'unchecked'; why: string }

/** The last result of a tool that violates its output schema; `from` gives its source. */
export type WrongResult = { tool: string; why: string; from: string }

/** Everything that the rules examine. */
export type Subject = {
  report: DoctorReport
  tools: readonly Tool[]
  schemas: readonly CheckedSchema[]
  results: readonly WrongResult[]
}

/** Where something was found, and a sentence without its full stop; quotations are from the server. */
export type Found = {
  place: string
  text: string
  kind?: 'unchecked'
  /** What a tool lacks, to follow a number of tools: if most lack it, that is one finding about the server. */
  lacking?: { tool: string; what: string }
}

/** A rule by which servers are examined. */
export type Rule = {
  id: string
  /** `wrong` prevents clients from using it; `advice` helps the models and people that use it. */
  severity: 'wrong' | 'advice'
  /** What the rule finds, for docs/doctor.md. */
  says: string
  /** What to do about it. */
  advice: string
  /** Text after the number of findings that are not shown. */
  more: string
  find: (subject: Subject) => readonly Found[]
}

/** Formats a name from the server for a sentence. */
export const quoted = (name: string): string => JSON.stringify(name)
/** The place of a tool in what a server offers. */
export const placeOf = (tool: string): string => `tools/${tool}`

const MOST_NAMED = 8

/** Lists names; of many, only the first. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
