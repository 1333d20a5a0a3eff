/** Classes of trials that did not end as they should; only `failed` is a verdict. */
export const FAILED_CLASSES = ['failed', 'execution_failed', 'timed_out', 'evaluator_error', 'setup_failed'] as const

/**
 * Classes of a trial, most urgent first (contract: "Trial classification"). The rerun selection counts trials by them:
 * all but `passed`, `cancelled` and `skipped` select their case.
 */
export const TRIAL_CLASSES = [...FAILED_CLASSES, 'pending', 'cancelled', 'skipped', 'passed'] as const
export type TrialClass = (typeof TRIAL_CLASSES)[number]
