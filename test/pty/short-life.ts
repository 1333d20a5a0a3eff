/**
 * Options for Node during a visit of a few screens: code is not optimised, nothing is compiled or collected in other
 * threads, and the young generation is large enough for most of the garbage of such a visit.
 */
export const SHORT_LIFE = ['--single-threaded', '--no-opt', '--no-maglev', '--min-semi-space-size=16'] as const
