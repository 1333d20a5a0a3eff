// Choices of commands, separate from the shapes, which help and completion do not need.

/** Surfaces that produce sessions. */
export const SESSION_SOURCES = ['direct', 'scenario', 'eval', 'swarm'] as const

/** Modes of access to a share link. No value means "unpublished", because such a scenario no longer exists. */
export const SCENARIO_MODES = ['project_members', 'invited_only', 'anyone_with_link'] as const

/** Grants of OAuth that need no person. */
export const GRANTS = ['client-credentials', 'workload-identity', 'enterprise'] as const

/** Algorithms of proofs of possession, the preferred one first. */
export const PROOF_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'PS256', 'RS256'] as const
