/**
 * What a command does if an earlier write of the same kind may have happened: waits until the service can no longer
 * carry that out, sends another write, or sends nothing.
 */
export const IN_DOUBT = ['wait', 'new', 'fail'] as const
export type InDoubt = (typeof IN_DOUBT)[number]
