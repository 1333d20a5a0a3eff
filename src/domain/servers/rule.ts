import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import type { SchemaFault } from '../../lib/json-schema/faults.ts'
import type { RefusedPart } from '../../lib/json-schema/refused-parts.ts'

/** A tool's schema with the results of compiling and examining it. */
export type CheckedSchema = {
  tool: string
  which: 'inputSchema' | 'outputSchema'
  /** Whether values of the schema must be objects. */
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

/** The last result of a tool that violates its output schema. `from` gives its source. */
export type WrongResult = { tool: string; why: string; from: string }

/** Everything that the rules examine. */
export type Subject = {
  report: DoctorReport
  tools: readonly Tool[]
  schemas: readonly CheckedSchema[]
  results: readonly WrongResult[]
}

/** A finding: its place, and a sentence without its full stop. Quotations are from the server. */
export type Found = {
  place: string
  text: string
  kind?: 'unchecked'
  /**
   * The missing part of a tool, as text after a number of tools. If most tools lack it, that is one finding about the
   * server.
   */
  lacking?: { tool: string; what: string }
}

/** A rule for examining servers. */
export type Rule = {
  id: string
  /** `wrong` prevents clients from using the server; `advice` helps the models and people that use it. */
  severity: 'wrong' | 'advice'
  /** Description of what the rule finds, for docs/doctor.md. */
  says: string
  /** Advice about what to do. */
  advice: string
  /** Text after the number of findings that are not shown. */
  more: string
  find: (subject: Subject) => readonly Found[]
}

/** Returns a name from the server in quotes, for a sentence. */
export const quoted = (name: string): string => JSON.stringify(name)
/** Returns the place of a tool in what a server offers. */
export const placeOf = (tool: string): string => `tools/${tool}`

const MOST_NAMED = 8

/** Lists names, or only the first ones if there are many. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
