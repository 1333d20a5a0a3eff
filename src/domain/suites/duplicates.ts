/**
 * Policies for a case that has the same definition as another one of the suite (contract: "Eval case batch create").
 */
export const DUPLICATE_POLICIES = ['block', 'warn', 'create_anyway'] as const
export type DuplicatePolicy = (typeof DUPLICATE_POLICIES)[number]
