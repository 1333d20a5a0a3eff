/** Limits shared by processes. */
export const limits = ''
