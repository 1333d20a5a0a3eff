/** Published environments with their visitors. */
export const scenarios = ''
