import type { SchemaChange } from '../json-schema/changes.ts'
import type { SchemaFault } from '../json-schema/faults.ts'
import type { RefusedPart } from '../json-schema/refused-parts.ts'

/** The fault of an argument. Without a name, the fault is in all arguments together. */
export type ArgumentFault = {
  name: string | undefined
  message: string
  /** Set if the argument was not given. */
  isMissing?: boolean
  /** For a fault inside an argument: the path from the argument, and the fault. */
  inner?: { path: readonly string[]; says: string }
}

/** Why a schema cannot be used: it is invalid, or beyond a limit (`isLimit`). */
export type Unusable = { unusable: string; isLimit?: boolean }

/** A piece of Markdown and the link definitions that it may refer to, by their names in lower case. */
export type MarkdownPiece = { source: string; definitions: Record<string, { href: string; title: string }> }

/** Whether a pattern matches, or why that could not be determined. */
export type PatternAnswer = { matches: boolean } | { problem: string }

/** The type of some bytes, and their picture. Without `raster` it is not drawn, and `why` gives the reason. */
export type Media = {
  /** Detected from the bytes; absent if unknown. */
  mime?: string
  extension?: string
  /** Width of a picture according to its header. */
  width?: number
  height?: number
  isAnimated?: boolean
  /** Pixels as red, green, blue and opacity, deflated, in base64. Large pictures are reduced. */
  raster?: { width: number; height: number; deflated: string }
  why?: string
}

/** The tasks that the thread can do, with their input and answer, both as JSON. */
export type Works = {
  compile: { given: { schema: unknown }; answer: { usable: true } | Unusable }
  /** Checks arguments against a tool's input schema. */
  arguments: {
    given: { schema: unknown; value: Record<string, unknown> }
    answer: { faults: ArgumentFault[] } | Unusable
  }
  objectSchemas: { given: { schemas: unknown[] }; answer: boolean[] }
  /** Finds contradictions and references without a target in a schema, and parts that some clients refuse. */
  schemaFaults: { given: { schema: unknown }; answer: { faults: SchemaFault[]; refused: RefusedPart[] } }
  /** Lists how a later schema differs from an earlier one. */
  schemaChanges: { given: { before: unknown; after: unknown }; answer: SchemaChange[] }
  /** Parses Markdown into the tokens of `marked`; null if it cannot be parsed. */
  markdown: { given: MarkdownPiece; answer: unknown[] | null }
  /** Detects the type of bytes in base64. `isCut` means that they are only the beginning. */
  media: { given: { data: string; isCut: boolean }; answer: Media }
  patterns: { given: { patterns: readonly string[]; finalText: string }; answer: PatternAnswer[] }
}

export type WorkName = keyof Works

export type ToThread = { work: WorkName; given: string }
/** `begun` is sent once the task's modules are loaded. Its time limit starts then. */
export type FromThread = { kind: 'begun' } | { kind: 'done'; answer: string } | { kind: 'failed'; why: string }
