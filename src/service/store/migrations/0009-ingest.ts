/** Runs and reports that other programs send. */
export const ingest = ''
