/**
 * What a command does where an earlier write of the same kind may have happened: waits until the service cannot act on
 * that any more, sends another one, or sends nothing.
 */
export const IN_DOUBT = ['wait', 'new', 'fail'] as const
export type InDoubt = (typeof IN_DOUBT)[number]
