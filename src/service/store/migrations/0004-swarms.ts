/** Personas, journeys and swarms. */
export const swarms = ''
