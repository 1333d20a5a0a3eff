import type { CallOptions, Client } from '../../api/client/client.ts'
import { newIdempotencyKey } from '../../api/contract/endpoint.ts'
import type { EvalCasesBatchResult } from '../../api/contract/suites.ts'
import type { CaseForm } from './case-form.ts'
import type { DuplicatePolicy } from './duplicates.ts'

export type BatchOptions = {
  duplicatePolicy?: DuplicatePolicy
  /** Reason that every policy except `block` requires. It is stored with the case. */
  overrideReason?: string
  /** The suite's id in the file, if the file is synced. */
  declaredSuiteId?: string | undefined
}

/** The result for one case. */
export type CaseOutcome = {
  form: CaseForm
  kind: 'created' | 'replayed' | 'failed'
  /** Id of the case, if it exists. */
  id?: string
  /** Code of the refusal or warning. */
  code?: string
  /** The service's message. */
  message?: string
}

/** Maximum number of cases in one request. */
export const BATCH_CASES = 100

/** Texts for the codes of refused entries. The service's own message is shown beside them. */
export const OUTCOME_WORDS: Readonly<Record<string, string>> = {
  INVALID_ITEM: 'The entry is not what the service takes; correct the field that it names.',
  INVALID_CASE_ID: 'The id has characters that ids cannot have, or is too long.',
  DUPLICATE_CASE_ID: 'The suite has a case of this id; give it another one, or edit that case.',
  IDEMPOTENCY_CONFLICT: 'Another entry was sent under the same key before; send it again.',
  DUPLICATE_CONTENT: 'A case that does the same is there; change it, or send it with another duplicate policy.',
  OVERRIDE_REASON_REQUIRED: 'This duplicate policy wants a reason.',
  INVALID_CASE: 'A step of it could never run; correct what the service names.',
  UNSTORABLE_ITEM: 'It holds text that cannot be stored.',
  ITEM_TOO_LARGE: 'It is too large; split it.',
}

/**
 * Creates cases, a hundred a request. Each request has its own key, which retries reuse. Results are returned for each
 * case in the given order. A request that fails as a whole rejects, and cases created earlier are kept.
 * @throws ApiError
 */
export async function createCases(
  client: Client,
  target: { projectId: string; suiteId: string },
  forms: readonly CaseForm[],
  options: BatchOptions = {},
  call: CallOptions = {},
): Promise<readonly CaseOutcome[]> {
  const { declaredSuiteId, ...policy } = options
  const outcomes: CaseOutcome[] = []
  for (let start = 0; start < forms.length; start += BATCH_CASES) {
    const chunk = forms.slice(start, start + BATCH_CASES)
    const result = await client.cases.createBatch(
      { ...target, ...(declaredSuiteId !== undefined && { declaredSuiteId }), body: { cases: [...chunk], ...policy } },
      { ...call, idempotencyKey: newIdempotencyKey() },
    )
    outcomes.push(...outcomesOf(chunk, result))
  }
  return outcomes
}

/** Returns each entry with its result. An entry that is missing in the answer counts as failed. */
export function outcomesOf(forms: readonly CaseForm[], { created, failed }: EvalCasesBatchResult): CaseOutcome[] {
  return forms.map((form, index): CaseOutcome => {
    const written = created.find(each => each.index === index)
    if (written) {
      const [warning] = written.warnings ?? []
      return {
        form,
        kind: written.replayed ? 'replayed' : 'created',
        id: written.id,
        ...(warning && { code: warning.code, message: warning.message }),
      }
    }
    const refused = failed.find(each => each.index === index)
    return {
      form,
      kind: 'failed',
      code: refused?.code ?? 'NOT_ANSWERED',
      message: refused?.message ?? 'The answer does not say what became of it.',
    }
  })
}

/** Returns the counts of outcomes: `3 created, 1 failed`. */
export function outcomeCounts(outcomes: readonly CaseOutcome[]): string {
  const parts = (['created', 'replayed', 'failed'] as const).flatMap(kind => {
    const count = outcomes.filter(each => each.kind === kind).length
    return count > 0 ? [`${count} ${kind === 'replayed' ? 'there already' : kind}`] : []
  })
  return parts.join(', ') || 'nothing to create'
}
