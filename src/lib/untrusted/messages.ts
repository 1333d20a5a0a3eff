import type { SchemaChange } from '../json-schema/changes.ts'
import type { SchemaFault } from '../json-schema/faults.ts'
import type { RefusedPart } from '../json-schema/refused-parts.ts'

/** What is wrong with the arguments, and with which of them; without a name with all together. */
export type ArgumentFault = {
  name: string | undefined
  message: string
  /** The argument was not given at all. */
  isMissing?: boolean
  /** Of what lies within an argument: the names that lead there, from the argument on, and what is wrong there. */
  inner?: { path: readonly string[]; says: string }
}

/** Why a schema cannot be used: it is wrong, or beyond what is looked at (`isLimit`). */
export type Unusable = { unusable: string; isLimit?: boolean }

/** A piece of Markdown and the link addresses that it may refer to, by their names in lower case. */
export type MarkdownPiece = { source: string; definitions: Record<string, { href: string; title: string }> }

/** Whether a pattern matches, or why that is not known. */
export type PatternAnswer = { matches: boolean } | { problem: string }

/** What bytes are, and the picture that they hold; without `raster` it is not drawn, and `why` says why. */
export type Media = {
  /** By the bytes themselves; absent where no type is known. */
  mime?: string
  extension?: string
  /** Of a picture, as its header says. */
  width?: number
  height?: number
  isAnimated?: boolean
  /** Its pixels, red, green, blue and opacity, deflated, in base64; fewer than it has where it has many. */
  raster?: { width: number; height: number; deflated: string }
  why?: string
}

/** What can be done in the thread: what each work is given and what it answers, both as JSON. */
export type Works = {
  compile: { given: { schema: unknown }; answer: { usable: true } | Unusable }
  /** Checks arguments against a tool's input schema. */
  arguments: {
    given: { schema: unknown; value: Record<string, unknown> }
    answer: { faults: ArgumentFault[] } | Unusable
  }
  objectSchemas: { given: { schemas: unknown[] }; answer: boolean[] }
  /** What in a schema contradicts itself, or leads nowhere, and what some clients refuse of it. */
  schemaFaults: { given: { schema: unknown }; answer: { faults: SchemaFault[]; refused: RefusedPart[] } }
  /** How a later schema differs from an earlier one. */
  schemaChanges: { given: { before: unknown; after: unknown }; answer: SchemaChange[] }
  /** Markdown as the tokens of `marked`; null where it cannot be read. */
  markdown: { given: MarkdownPiece; answer: unknown[] | null }
  /** What bytes in base64 are; `isCut` when they are only the first. */
  media: { given: { data: string; isCut: boolean }; answer: Media }
  patterns: { given: { patterns: readonly string[]; finalText: string }; answer: PatternAnswer[] }
}

export type WorkName = keyof Works

export type ToThread = { work: WorkName; given: string }
/** `begun` once what the work needs is loaded; its deadline counts from there. */
export type FromThread = { kind: 'begun' } | { kind: 'done'; answer: string } | { kind: 'failed'; why: string }
