import { Option } from 'commander'
import { IN_DOUBT } from '../journal/in-doubt.ts'
import type { DeclaredFlag } from './declare.ts'

/** Flags for what a write does if an earlier one of the same kind may have happened. */
export const REPEATS: readonly DeclaredFlag[] = [
  ['--retry <id>', 'continue this open write of mcpdeck journal instead of sending another'],
  ['--new', 'send it although an earlier write may have happened'],
  new Option('--in-doubt <what>', 'what to do without a terminal if an earlier write may have happened').choices(
    IN_DOUBT,
  ),
]
