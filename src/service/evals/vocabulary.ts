import type { EvalIteration } from '../../api/contract/iterations.ts'

/** Eval vocabularies that answers may be asked for in (contract: "Versioning"). */
export const EVAL_VOCABULARIES = ['1', '2'] as const
export type EvalVocabulary = (typeof EVAL_VOCABULARIES)[number]

/** Spells the policy role of an iteration's scorers: `gating` in vocabulary 1 is `required` in vocabulary 2. */
export function inVocabulary(vocabulary: EvalVocabulary, iteration: EvalIteration): EvalIteration {
  const definitions = iteration.evaluationConfig?.['definitions']
  if (vocabulary === '1' || !Array.isArray(definitions)) return iteration
  const spelt = (definitions as Record<string, unknown>[]).map(definition =>
    definition['role'] === 'gating' ? { ...definition, role: 'required' } : definition,
  )
  return { ...iteration, evaluationConfig: { ...iteration.evaluationConfig, definitions: spelt } }
}
