import * as z from 'zod'
import { shape, type Shape } from './shapes.ts'

/** One type of assertion: when it passes, and its fields besides `type`. */
export type AssertionDeclaration<Raw extends z.ZodRawShape = z.ZodRawShape> = {
  holds: string
  /** Strict, because a misspelt optional field would otherwise silently change the meaning. */
  fields: Shape<z.ZodObject<Raw, z.core.$strict>>
}

function assertion<Raw extends z.ZodRawShape>(holds: string, raw: () => Raw): AssertionDeclaration<Raw> {
  return { holds, fields: shape(() => z.strictObject(raw())) }
}

const toolName = shape(() => z.string().min(1))
const amount = shape(() => z.number().positive())
const noFields = () => ({})
const inScope = () => ({ toolName: toolName().optional() })

/** The thirteen known types. The contract allows others; the local workspace fails a trial with another type. */
export const assertions = {
  toolCalledWith: assertion('at least minCount calls of the tool have matching arguments', () => ({
    toolName: toolName(),
    args: z.strictObject({
      args: z.record(z.string(), z.unknown()),
      argumentMatching: z.enum(['partial', 'exact', 'ignore']).optional(),
    }),
    minCount: z.int().min(1).default(1),
  })),
  toolCalledAtLeastOnce: assertion('the tool was called', () => ({ toolName: toolName() })),
  toolNeverCalled: assertion('the tool was never called', () => ({ toolName: toolName() })),
  firstToolWas: assertion('the first call of the trial was this tool', () => ({ toolName: toolName() })),
  responseContains: assertion('the final text contains it', () => ({
    needle: z.string().min(1),
    caseSensitive: z.boolean().default(false),
  })),
  responseMatches: assertion('the final text matches the regular expression', () => ({ pattern: z.string().min(1) })),
  noToolErrors: assertion('no call failed, by its result or on the way', noFields),
  finalAssistantMessageNonEmpty: assertion('the final text is not blank', noFields),
  tokenBudgetUnder: assertion('fewer tokens were used', () => ({ tokens: amount() })),
  turnCountUnder: assertion('the user spoke fewer times', () => ({ turns: amount() })),
  widgetRendered: assertion('a widget rendered; needs a browser', inScope),
  widgetRenderLatencyUnder: assertion('every widget rendered faster; needs a browser', () => ({
    ms: z.number(),
    ...inScope(),
  })),
  widgetNoConsoleErrors: assertion('no widget logged an error; needs a browser', inScope),
}

export type AssertionName = keyof typeof assertions

/** Names of all types, in the order in which they are explained. */
export const assertionNames = Object.keys(assertions) as AssertionName[]

/** Whether the type is one of those declared here. */
export function isAssertionName(type: unknown): type is AssertionName {
  return typeof type === 'string' && Object.hasOwn(assertions, type)
}

/** Returns a type with its fields: `toolCalledWith {toolName, args, minCount?}`. */
export function assertionUsage(name: AssertionName): string {
  const fields = Object.entries(assertions[name].fields().shape).map(([field, type]) =>
    (type as z.ZodType).safeParse(undefined).success ? `${field}?` : field,
  )
  return fields.length > 0 ? `${name} {${fields.join(', ')}}` : name
}
