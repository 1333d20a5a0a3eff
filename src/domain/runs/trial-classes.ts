/** Classes of trials that ended other than they should have; only `failed` is a verdict. */
export const FAILED_CLASSES = ['failed', 'execution_failed', 'timed_out', 'evaluator_error', 'setup_failed'] as const

/**
 * What became of one trial, the most urgent first (contract: "Trial classification"). The rerun selection counts
 * trials by it: all but `passed`, `cancelled` and `skipped` select their case.
 */
export const TRIAL_CLASSES = [...FAILED_CLASSES, 'pending', 'cancelled', 'skipped', 'passed'] as const
export type TrialClass = (typeof TRIAL_CLASSES)[number]
