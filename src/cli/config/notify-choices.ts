/** How the end of a followed run is announced besides the screen. */
export const NOTIFY_CHOICES = ['off', 'bell', 'desktop'] as const
export type Notify = (typeof NOTIFY_CHOICES)[number]
