/** Colors for a profile's badge; the local workspace has its own, so that no profile looks like it. */
export const BADGE_COLOURS = ['yellow', 'red', 'magenta', 'blue', 'cyan', 'white'] as const
export type BadgeColour = (typeof BADGE_COLOURS)[number]
