/** Journey runs with their sessions. */
export const journeyRuns = ''
