import type * as z from 'zod'
import { BOUNDS, type Bound } from '../../src/lib/bounds.ts'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import { WORK_LIMITS, type WorkLimit } from '../../src/lib/work-limits.ts'
import { LIST_BOUNDS } from '../../src/api/client/pages.ts'
import { LIMITS } from '../../src/service/core/limits.ts'

/** A text of a request with a bound: where it stands, the bound in characters, and the schema that holds it. */
export type TextField = { operations: readonly string[]; path: string; most: number; schema: z.ZodType }

/** Deeper than any request; a schema that contains itself would be walked for ever. */
const MOST_LEVELS = 12

/** Every bounded text of every request, those of several operations once. */
export function textFields(): TextField[] {
  const fields = new Map<string, TextField>()
  for (const { operation, body, query } of allEndpoints())
    for (const schema of [query, body])
      for (const { path, most, text } of schema ? texts(schema, [], 0) : []) {
        const key = `${path} ${most}`
        const before = fields.get(key)
        fields.set(key, {
          operations: [...new Set([...(before?.operations ?? []), operation])],
          path,
          most,
          schema: before?.schema ?? text,
        })
      }
  return [...fields.values()].toSorted((a, b) => (a.path < b.path ? -1 : 1))
}

type Text = { path: string; most: number; text: z.ZodType }

function texts(schema: z.ZodType, path: readonly string[], depth: number): Text[] {
  if (depth > MOST_LEVELS) return []
  const { def, maxLength } = schema as unknown as { def: Record<string, unknown>; maxLength?: number | null }
  const within = (inner: unknown, step: readonly string[]): Text[] =>
    texts(inner as z.ZodType, [...path, ...step], depth + 1)
  switch (def['type']) {
    case 'string':
      return typeof maxLength === 'number' ? [{ path: path.join('.'), most: maxLength, text: schema }] : []
    case 'object':
      return Object.entries(def['shape'] as object).flatMap(([name, inner]) => within(inner, [name]))
    case 'array':
      return within(def['element'], ['[]'])
    case 'record':
      return within(def['valueType'], ['*'])
    case 'union':
      return (def['options'] as unknown[]).flatMap(inner => within(inner, []))
    case 'pipe':
      return within(def['in'], [])
    default:
      return def['innerType'] ? within(def['innerType'], []) : []
  }
}

/** The operations with a bound of their own on an answer. */
function largeAnswers(): string {
  return allEndpoints()
    .flatMap(({ operation, maxAnswerBytes }) =>
      maxAnswerBytes === undefined ? [] : `${operation} (${count(maxAnswerBytes)} bytes)`,
    )
    .join(', ')
}

/** docs/limits.md: every bound of what is kept, read or taken, from its declaration. */
export function limitsDocument(): string {
  const bounds: readonly Bound[] = Object.values(BOUNDS)
  const works: readonly WorkLimit[] = Object.values(WORK_LIMITS)
  return `# Limits

Generated from \`src/lib/bounds.ts\`, \`src/lib/work-limits.ts\`, \`src/api/client/pages.ts\`,
\`src/service/core/limits.ts\` and the contract by \`npm run docs\`. \`test/limits.test.ts\` walks the same tables: each
bound of what is kept, read or taken is tried one below, at it, and one above.

## What the program keeps and reads

${table(bounds.filter(({ side }) => side === 'program'))}

One walk through a list reads at most ${count(LIST_BOUNDS.pages)} pages, ${count(LIST_BOUNDS.items)} items and ${count(LIST_BOUNDS.text)} characters, and
ends after ${count(LIST_BOUNDS.idlePages)} pages that hold nothing new. It then says that there is more; \`--all\` reads on, and
on a screen the key for more, as far again.

Answers that may be larger, with what servers returned in a trial: ${largeAnswers()}.

## What work on something from outside may take

Schemas, patterns, Markdown and pictures are worked on in a thread of their own, one work after the other.

${table(works)}

## What the local workspace takes and stores

${table(bounds.filter(({ side }) => side === 'local workspace'))}

## Texts of requests

A longer text is refused with VALIDATION_ERROR, which names the field.

| field | characters | operations |
|---|---|---|
${textFields()
  .map(({ path, most, operations }) => `| \`${path}\` | ${count(most)} | ${named(operations)} |`)
  .join('\n')}

## Rates and counts of the local workspace

\`mcpdeck serve limits\` lists them, and changes them.

| limit | default | |
|---|---|---|
${Object.entries(LIMITS)
  .map(([name, { value, says }]) => `| \`${name}\` | ${count(value)} | ${says} |`)
  .join('\n')}
`
}

function table(bounds: readonly (Bound | WorkLimit)[]): string {
  const rows = bounds.map(({ of, most, unit, beyond }) => `| ${of} | ${count(most)} ${unit} | ${beyond} |`)
  return ['| of | at most | more is |', '|---|---|---|', ...rows].join('\n')
}

const MOST_NAMED = 4

function named(operations: readonly string[]): string {
  const more = operations.length - MOST_NAMED
  return operations.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
