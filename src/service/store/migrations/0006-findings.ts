/** Findings over waves and windows, with generated insights. */
export const findings = ''
