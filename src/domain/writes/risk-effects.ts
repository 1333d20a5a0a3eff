import type { Risk } from '../../api/contract/endpoint.ts'

/** The effect of a call, for the question before it. */
export const RISK_EFFECTS: Partial<Record<Risk, string>> = {
  external: 'has side effects on someone else’s server',
  spend: 'spends credits, uses a quota or occupies a run slot',
  end: 'ends something that is live',
  expose: 'opens data to more people',
  delete: 'cannot be undone',
}
