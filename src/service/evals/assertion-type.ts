import type * as z from 'zod'
import type { AssertionDeclaration } from '../../api/contract/assertions.ts'
import type { Shape } from '../../api/contract/shapes.ts'
import { oneLine } from '../core/one-line.ts'
import type { PatternTest } from './pattern.ts'
import type { Transcript, WidgetObservation } from './types.ts'

/** The answer of one assertion; the same assertion and transcript always give the same one. */
export type AssertionVerdict = {
  passed: boolean
  /** One line that names expected and actual. */
  reason: string
  expected?: unknown
  actual?: unknown
}

/** One type of assertion: the fields it is declared with, and its rule. */
export type AssertionType<Fields = unknown> = {
  fields: Shape<z.ZodType<Fields>>
  judge(assertion: unknown, transcript: Transcript, test: PatternTest): AssertionVerdict
}

/** What an assertion found, before it is put into words. */
export type Finding = {
  passed: boolean
  expected: string
  actual: string
  values?: { expected?: unknown; actual?: unknown }
}

/** Fields of a type after parsing. */
type FieldsOf<Raw extends z.ZodRawShape> = z.infer<z.ZodObject<Raw, z.core.$strict>>

/**
 * Gives a declared type its rule: the fields are validated before the rule sees them, and a wrong one fails closed by
 * name.
 */
export function assertionType<Raw extends z.ZodRawShape>(
  { fields }: AssertionDeclaration<Raw>,
  rule: (fields: FieldsOf<Raw>, transcript: Transcript, test: PatternTest) => Finding,
): AssertionType<FieldsOf<Raw>> {
  return {
    fields,
    judge(assertion, transcript, test) {
      const { type, ...rest } = assertion as { type: string } & Record<string, unknown>
      const parsed = fields().safeParse(rest)
      if (!parsed.success) return closed(`well-formed fields of ${type}`, describeIssues(parsed.error))
      const { passed, expected, actual, values } = rule(parsed.data, transcript, test)
      return { passed, reason: oneLine(`expected ${expected}; actual: ${actual}`), ...values }
    },
  }
}

/** A rule over the widgets in scope; it fails closed where nothing was observed. */
export function widgetAssertion<Raw extends z.ZodRawShape & { toolName: z.ZodOptional<z.ZodString> }>(
  declared: AssertionDeclaration<Raw>,
  expected: string | ((fields: FieldsOf<Raw>) => string),
  rule: (fields: FieldsOf<Raw>, seen: WidgetObservation[]) => Pick<Finding, 'passed' | 'actual'>,
): AssertionType<FieldsOf<Raw>> {
  return assertionType(declared, (fields, { widgets = [] }) => {
    const scope = (fields as { toolName?: string }).toolName
    const seen = widgets.filter(widget => scope === undefined || widget.toolName === scope)
    const words = typeof expected === 'string' ? expected : expected(fields)
    const finding =
      seen.length > 0 ? rule(fields, seen) : { passed: false, actual: 'no widget observed (needs a browser runner)' }
    return { expected: scope === undefined ? words : `${words} for ${scope}`, ...finding }
  })
}

/** The answer where nothing can be judged: not passed, and why. */
export function closed(expected: string, actual: string): AssertionVerdict {
  return { passed: false, reason: oneLine(`expected ${expected}; actual: ${actual}`) }
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .map(issue => (issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message))
    .join('; ')
}
