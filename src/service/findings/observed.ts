import type { ActionableFindingEvidence } from '../../api/contract/insight-shapes.ts'
import { type ObservedFailure, severityOf } from '../insights/advice.ts'
import type { FindingRow, FindingScope } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { WaveFacts } from './records.ts'

/** What a wave saw, as far as it is measured; findings that somebody dismissed are left out. */
export function failuresOf(
  store: Store,
  scope: FindingScope,
  waveId: string,
  { analyzed, affected }: WaveFacts,
): ObservedFailure[] {
  return store.findings
    .seenIn(scope, waveId)
    .filter(({ dismissedAt }) => dismissedAt === null)
    .map(row => {
      const evidence = store.findings.evidence(row.id, waveId)
      const sessions = affected.get(row.fingerprint) ?? namesOf(evidence, 'sessionId').length
      // Evidence without a session still is of one.
      return toFailure(row, evidence, Math.max(1, sessions), analyzed)
    })
}

function toFailure(
  row: FindingRow,
  evidence: ActionableFindingEvidence[],
  count: number,
  analyzed: number,
): ObservedFailure {
  const total = Math.max(count, analyzed)
  return {
    fingerprint: row.fingerprint,
    title: row.title,
    observed: observedText(row, evidence, count, total),
    category: categoryOf(row, evidence),
    severity: severityOf({ count, total }),
    affected: { count, total, unit: 'sessions' },
    evidence,
  }
}

function observedText(
  { subjectKind, subjectLabel, status, occurrenceCount }: FindingRow,
  evidence: readonly ActionableFindingEvidence[],
  count: number,
  total: number,
): string {
  const tools = namesOf(evidence, 'toolName')
  const codes = namesOf(evidence, 'errorCode')
  return [
    `${count} of ${total} sessions; ${subjectKind}: ${subjectLabel}.`,
    `Occurrences so far: ${occurrenceCount} (${status}).`,
    ...(tools.length > 0 ? [`Tools: ${tools.join(', ')}.`] : []),
    ...(codes.length > 0 ? [`Error codes: ${codes.join(', ')}.`] : []),
  ].join(' ')
}

function namesOf(
  evidence: readonly ActionableFindingEvidence[],
  field: 'sessionId' | 'toolName' | 'errorCode',
): string[] {
  return [...new Set(evidence.flatMap(item => item[field] ?? []))]
}

/** What each kind of failure says by itself; the others follow from their evidence. */
const CATEGORIES: Readonly<Record<string, string>> = {
  'tool-errors': 'tool_runtime',
  tool_error: 'tool_runtime',
  goal: 'workflow',
  abandonment: 'workflow',
  repeated_question: 'agent_behavior',
}

function categoryOf({ dimension }: FindingRow, evidence: readonly ActionableFindingEvidence[]): string {
  if (Object.hasOwn(CATEGORIES, dimension)) return CATEGORIES[dimension] ?? 'unknown'
  return evidence.some(({ kind }) => kind === 'judge') ? 'agent_behavior' : 'unknown'
}
