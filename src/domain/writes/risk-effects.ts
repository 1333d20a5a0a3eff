import type { Risk } from '../../api/contract/endpoint.ts'

/** What a call does to the world, as the question before it says. */
export const RISK_EFFECTS: Partial<Record<Risk, string>> = {
  external: 'has side effects on somebody else’s server',
  spend: 'spends credits, uses a quota or occupies a run slot',
  end: 'ends something that is live',
  expose: 'opens data to more people',
  delete: 'cannot be undone',
}
