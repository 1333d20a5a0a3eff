/** Colours that a profile's badge can have; the local workspace keeps its own, so that nothing else looks like it. */
export const BADGE_COLOURS = ['yellow', 'red', 'magenta', 'blue', 'cyan', 'white'] as const
export type BadgeColour = (typeof BADGE_COLOURS)[number]
