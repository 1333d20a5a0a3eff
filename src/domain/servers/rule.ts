import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import type { SchemaFault } from '../../lib/json-schema/faults.ts'
import type { RefusedPart } from '../../lib/json-schema/refused-parts.ts'

/** A tool's schema with what came of compiling it and looking through it. */
export type CheckedSchema = {
  tool: string
  which: 'inputSchema' | 'outputSchema'
  /** Whether it says that its values are objects. */
  isOfObject: boolean
  verdict: SchemaVerdict
  faults: readonly SchemaFault[]
  /** What some clients refuse of it. */
  refused: readonly RefusedPart[]
  /** Why the faults are not known. */
  unchecked?: string
}

/** What came of compiling a schema. */
export type SchemaVerdict = { kind: 'fine' } | { kind: 'wrong' | 'unchecked'; why: string }

/** The last result of a tool that is known to be wrong by its output schema; `from` says where it is from. */
export type WrongResult = { tool: string; why: string; from: string }

/** All that the rules look at. */
export type Subject = {
  report: DoctorReport
  tools: readonly Tool[]
  schemas: readonly CheckedSchema[]
  results: readonly WrongResult[]
}

/** Where something was found, and a sentence without its full stop; what it quotes is the server's. */
export type Found = {
  place: string
  text: string
  kind?: 'unchecked'
  /** What a tool lacks, behind a number of tools: where most do, that is one finding about the server. */
  lacking?: { tool: string; what: string }
}

/** Something that a server is examined for. */
export type Rule = {
  id: string
  /** `wrong` keeps clients from using it; `advice` helps the models and people that use it. */
  severity: 'wrong' | 'advice'
  /** What it finds, for docs/doctor.md. */
  says: string
  /** What to do about it. */
  advice: string
  /** Behind the number of findings that are not shown. */
  more: string
  find: (subject: Subject) => readonly Found[]
}

/** A name of the server's in a sentence. */
export const quoted = (name: string): string => JSON.stringify(name)
/** Where a tool is in what a server offers. */
export const placeOf = (tool: string): string => `tools/${tool}`

const MOST_NAMED = 8

/** Names one after the other, the first of many. */
export function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
