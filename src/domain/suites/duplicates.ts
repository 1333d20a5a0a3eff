/**
 * What to do with a case whose definition another one of the suite has already (contract: "Eval case batch create").
 */
export const DUPLICATE_POLICIES = ['block', 'warn', 'create_anyway'] as const
export type DuplicatePolicy = (typeof DUPLICATE_POLICIES)[number]
