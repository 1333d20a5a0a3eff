/**
 * What Node is started with for a visit of a few screens: nothing is optimised that ends before it pays, nothing is
 * compiled or collected beside, and the young space is large enough for most of what such a visit makes.
 */
export const SHORT_LIFE = ['--single-threaded', '--no-opt', '--no-maglev', '--min-semi-space-size=16'] as const
