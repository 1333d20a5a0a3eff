import type { RecordedResult } from '../../api/contract/calls.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { parseStored } from '../../lib/json.ts'
import { SECRET } from '../../lib/redaction/redaction.ts'
import type { Store } from '../core/database/store.ts'

/** Calls and trials that are looked through, the newest first. */
const CALLS = 200
const TRIALS = 50

type Result = RecordedResult & { at: number }

/** What each tool of a server returned last, by hand or in a trial of the project; trials name servers. */
export function recordedResults(store: Store, projectId: string, server: { id: string; name: string }): Result[] {
  const latest = new Map<string, Result>()
  const note = (found: Pick<Result, 'tool' | 'of' | 'at'>, result: unknown): void => {
    const known = latest.get(found.tool)
    if (!isPlainObject(result) || result['isError'] === true || (known && known.at >= found.at)) return
    const { structuredContent } = result
    latest.set(found.tool, { ...found, ...(structuredContent !== undefined && { structuredContent }) })
  }
  for (const { kind, target: tool, startedAt: at, status, result } of store.calls.page(server.id, undefined, CALLS))
    // Struck out secrets may be why a result does not fit.
    if (kind === 'tool' && status === 'answered' && result !== undefined && !result.includes(SECRET))
      note({ tool, of: 'call', at }, parseStored(result))
  for (const { transcript } of store.trials.latestOutcomes(projectId, TRIALS))
    for (const { serverName, toolName: tool, startedAt: at, result } of transcript.toolCalls)
      if (serverName === server.name) note({ tool, of: 'trial', at }, result)
  return [...latest.values()]
}
