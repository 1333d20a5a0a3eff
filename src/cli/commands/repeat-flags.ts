import { Option } from 'commander'
import { IN_DOUBT } from '../journal/in-doubt.ts'
import type { DeclaredFlag } from './declare.ts'

/** Flags of commands that write: what they do where an earlier write of the same kind may have happened. */
export const REPEATS: readonly DeclaredFlag[] = [
  ['--retry <id>', 'go on with this open write listed by mcpdeck journal instead of sending another one'],
  ['--new', 'send it even though an earlier one may have happened'],
  new Option('--in-doubt <what>', 'without a terminal, where an earlier one may have happened').choices(IN_DOUBT),
]
