import type { KnownResult } from '../servers/findings.ts'
import type { CallRecord } from './call-log.ts'

/** What the last answered call of each tool returned, where it is no error; `records` stand newest first. */
export function knownResults(records: readonly CallRecord[]): KnownResult[] {
  const known = new Map<string, KnownResult>()
  for (const { target, outcome } of records) {
    if (outcome.state !== 'answered' || outcome.answer.kind !== 'tool' || outcome.answer.value.isError === true)
      continue
    const { structuredContent } = outcome.answer.value
    if (!known.has(target)) known.set(target, { tool: target, structuredContent })
  }
  return [...known.values()]
}
