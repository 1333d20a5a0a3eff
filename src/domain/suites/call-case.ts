import { parseExact } from '../../lib/json.ts'
import type { CallToolResult } from '../../api/contract/server-operations.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { textOfResult } from './result-text.ts'
import type { CaseForm } from './case-form.ts'

/** A call of a tool with its result. */
export type CallMade = {
  serverName: string
  toolName: string
  args: Readonly<Record<string, unknown>>
  result: CallToolResult
}

type Assertion = Record<string, unknown>

const MOST_TITLE = 60
/** Maximum length of a text that is compared exactly. Longer texts are rarely equal twice. */
const MOST_EXACT = 200
const MOST_KEYS = 5
const MOST_KEY = 60
/** Maximum length of a text that is parsed as JSON for the names of its fields. */
const MOST_READ = 100_000

/** Matches dates, times, durations, long numbers and ids, which differ from call to call. */
const CHANGES =
  /\d{4}-\d\d|\d:\d\d|\d{5,}|\d\s*(?:ms|s|sec|min|h|seconds?|minutes?|hours?|days?)\b|\b(?:ago|now|today)\b|[\da-f]{8}-/i
const ID = /(?=[\w-]*\d)(?=[\w-]*[a-z])[\w-]{8,}/i
const PRINTABLE = /^[\p{L}\p{M}\p{N}\p{P}\p{S} \n]*$/u

/** Returns a case that repeats a call, with assertions on what is likely to be the same next time. */
export function caseOfCall({ serverName, toolName, args, result }: CallMade): CaseForm {
  return {
    title: titleOf(Object.keys(args).length === 0 ? toolName : `${toolName} ${JSON.stringify(args)}`),
    steps: [
      { id: 'call', kind: 'toolCall', serverName, toolName, arguments: { ...args } },
      ...assertionsOf(toolName, result).map((assertion, index) => ({
        id: `assert-${index + 1}`,
        kind: 'assert' as const,
        assertion,
      })),
    ],
  }
}

export function assertionsIn({ steps }: CaseForm): readonly Assertion[] {
  return steps.flatMap(({ assertion }) => (assertion ? [assertion] : []))
}

/** Returns a title for what the case does. */
export function titleOf(shown: string): string {
  const title = shown.replaceAll(/[^\p{L}\p{M}\p{N}\p{P}\p{S}]+/gu, ' ').trim()
  const cut = [...title].slice(0, MOST_TITLE).join('')
  return cut === title ? title || 'A call' : `${cut}…`
}

/**
 * Returns assertions on a result. If the call returned an error, the next one should too, so no assertion excludes
 * errors.
 */
function assertionsOf(toolName: string, result: CallToolResult): Assertion[] {
  const first = result.isError === true ? { type: 'toolCalledAtLeastOnce', toolName } : { type: 'noToolErrors' }
  return [first, ...textAssertions(textOfResult(result))]
}

function textAssertions(text: string): Assertion[] {
  if (!/\S/.test(text)) return []
  if (isSteady(text)) return [{ type: 'responseMatches', pattern: `^${escaped(text)}$` }]
  const keys = keysOf(text)
  if (keys.length === 0) return [{ type: 'finalAssistantMessageNonEmpty' }]
  return keys.map(needle => ({ type: 'responseContains', needle, caseSensitive: true }))
}

function isSteady(text: string): boolean {
  return text.length <= MOST_EXACT && PRINTABLE.test(text) && !CHANGES.test(text) && !ID.test(text)
}

/** Returns the first field names of a JSON object, as written in its text. */
function keysOf(text: string): readonly string[] {
  if (text.length > MOST_READ || !/^\s*\{/.test(text)) return []
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    return []
  }
  if (!isPlainObject(value)) return []
  return Object.keys(value)
    .filter(key => key.length <= MOST_KEY && PRINTABLE.test(key) && !CHANGES.test(key) && !ID.test(key))
    .map(key => JSON.stringify(key))
    .filter(key => text.includes(key))
    .slice(0, MOST_KEYS)
}

function escaped(text: string): string {
  return text.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&')
}
