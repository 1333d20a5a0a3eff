/** Requests to connect a server and directory readiness. */
export const connectionsAndReadiness = ''
