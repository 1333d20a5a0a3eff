// What commands offer as choices, apart from the shapes: help and completion have no use for those.

/** Surfaces that produce sessions. */
export const SESSION_SOURCES = ['direct', 'scenario', 'eval', 'swarm'] as const

/** Who may open a share link; nothing stands for "unpublished", because such a scenario is gone. */
export const SCENARIO_MODES = ['project_members', 'invited_only', 'anyone_with_link'] as const
