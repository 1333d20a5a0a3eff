import type { ReadinessRun } from '../../api/contract/readiness.ts'
import { ownValue } from '../../lib/own-value.ts'

/** The subjects of grading: the publisher, and the form of the submission. */
export const DIRECTORIES = [
  { value: 'claude', label: 'Claude', detail: 'the connector directory of Anthropic' },
  { value: 'mcp-only', label: 'OpenAI', detail: 'its plugin directory, the MCP server alone' },
  { value: 'mcp-imported-skills', label: 'OpenAI with skills', detail: 'its plugin directory, with imported skills' },
] as const

const PUBLISHERS = new Map<string | null | undefined, string>([
  ['claude', 'Claude'],
  ['openai', 'OpenAI'],
])

/** Returns the name of the app directory whose rules a run checks. An unknown value is returned as received. */
export function directoryLabel({ readinessKind, submissionMode }: ReadinessRun): string {
  const submitted = DIRECTORIES.find(({ value }) => value === submissionMode)
  if (submitted) return submitted.label
  return PUBLISHERS.get(readinessKind) ?? readinessKind ?? 'not known'
}

/** Whether a run is still in progress. */
export function isRunning({ status }: Pick<ReadinessRun, 'status'>): boolean {
  return status === 'pending' || status === 'running'
}

const LOOKS = {
  pending: { symbol: 'pending', tone: 'muted', word: 'waits' },
  running: { symbol: 'live', tone: 'live', word: 'running' },
  failed: { symbol: 'error', tone: 'error', word: 'failed' },
  cancelled: { symbol: 'cancelled', tone: 'muted', word: 'cancelled' },
  ready: { symbol: 'ok', tone: 'ok', word: 'ready' },
  off: { symbol: 'cancelled', tone: 'warn', word: 'off' },
  unknown: { symbol: 'pending', tone: 'warn', word: 'not known' },
  'not-ready': { symbol: 'error', tone: 'error', word: 'not ready' },
  incomplete: { symbol: 'warn', tone: 'warn', word: 'incomplete' },
  satisfied: { symbol: 'ok', tone: 'ok', word: 'satisfied' },
  violated: { symbol: 'error', tone: 'error', word: 'violated' },
  'not-evaluated': { symbol: 'warn', tone: 'warn', word: 'not evaluated' },
  'not-applicable': { symbol: 'cancelled', tone: 'muted', word: 'not applicable' },
} as const

/** Returns the label of a state, a verdict or a finding's outcome. Unknown ones are shown as received. */
export function readinessLook(word: string | null | undefined) {
  const known = ownValue(LOOKS, word)
  return known ?? ({ symbol: 'warn', tone: 'warn', word: word ?? 'no verdict' } as const)
}

/**
 * Returns the verdict of a run, or why it has none. A run that did not complete says nothing about its server.
 * @param isOn whether its server is now switched on, undefined if unknown; a server that is off is not ready
 */
export function stateLook({ status, overallStatus }: ReadinessRun, isOn: boolean | undefined) {
  const word = status === 'completed' ? overallStatus : status
  return readinessLook(word === 'ready' && isOn !== true ? (isOn === false ? 'off' : 'unknown') : word)
}

/** Returns a name as words, such as `not requested` for `not-requested`. */
export function wordsOf(name: string): string {
  return name.replaceAll(/[-_]/g, ' ')
}
