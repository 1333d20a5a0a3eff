import { ownValue } from '../../lib/own-value.ts'
type Assertion = Readonly<Record<string, unknown>>

/** Texts for each known type of assertion (contract: assertions.md). */
const WORDS: Readonly<Record<string, (fields: Assertion) => string | undefined>> = {
  toolCalledWith: ({ toolName, args, minCount }) => {
    const { args: values, argumentMatching } = isBlock(args) ? args : {}
    const times = typeof minCount === 'number' && minCount > 1 ? ` at least ${minCount} times` : ''
    const how = { exact: 'exactly ', ignore: 'any arguments instead of ' }[String(argumentMatching)] ?? ''
    return withTool(toolName, tool => `${tool} is called${times} with ${how}${JSON.stringify(values ?? {})}`)
  },
  toolCalledAtLeastOnce: ({ toolName }) => withTool(toolName, tool => `${tool} is called`),
  toolNeverCalled: ({ toolName }) => withTool(toolName, tool => `${tool} is never called`),
  firstToolWas: ({ toolName }) => withTool(toolName, tool => `the first call is ${tool}`),
  responseContains: ({ needle, caseSensitive }) =>
    typeof needle === 'string'
      ? `the answer contains ${JSON.stringify(needle)}${caseSensitive === true ? ', capitals as written' : ''}`
      : undefined,
  responseMatches: ({ pattern }) => (typeof pattern === 'string' ? `the answer matches /${pattern}/` : undefined),
  noToolErrors: () => 'no tool answers an error',
  finalAssistantMessageNonEmpty: () => 'the answer is not empty',
  tokenBudgetUnder: ({ tokens }) => withNumber(tokens, count => `fewer than ${count} tokens are used`),
  turnCountUnder: ({ turns }) => withNumber(turns, count => `there are fewer than ${count} user turns`),
  widgetRendered: ({ toolName }) => `a widget${ofTool(toolName)} renders`,
  widgetRenderLatencyUnder: ({ ms, toolName }) =>
    withNumber(ms, count => `every widget${ofTool(toolName)} renders in less than ${count} ms`),
  widgetNoConsoleErrors: ({ toolName }) => `no widget${ofTool(toolName)} logs errors`,
}

/**
 * Returns an assertion as a sentence without its capital and full stop, or as JSON if its type or a field is unknown.
 */
export function assertionLabel(assertion: Assertion): string {
  const { type } = assertion
  const words = typeof type === 'string' ? ownValue(WORDS, type)?.(assertion) : undefined
  return words ?? JSON.stringify(assertion)
}

function withTool(name: unknown, words: (tool: string) => string): string | undefined {
  return typeof name === 'string' ? words(name) : undefined
}

function withNumber(value: unknown, words: (count: number) => string): string | undefined {
  return typeof value === 'number' ? words(value) : undefined
}

function ofTool(name: unknown): string {
  return typeof name === 'string' ? ` of ${name}` : ''
}

function isBlock(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
