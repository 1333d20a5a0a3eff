import type { ApiOptions } from '../api/api-command.ts'
import { collect } from '../arguments/option-values.ts'
import { command } from './declare.ts'
import { REPEATS } from './repeat-flags.ts'

/** `mcpdeck api`. */
export const api = command<ApiOptions>({
  name: 'api',
  says: 'Call any operation of the contract, by name or by method and path.',
  words: [['[operation...]', 'an operation such as listProjects, or METHOD PATH']],
  flags: [
    ['--list', 'list every operation with its input, risk and gate'],
    ['--json', 'with --list: print {"items": [...]}'],
    ['--field <name=value>', 'path, query or body field; dots reach into the body', collect, []],
    ['--input <file>', 'the body as JSON; - reads standard input'],
    ['--paginate', 'follow the cursors and print all items as one list'],
    ['--all', 'with --paginate: read the whole list, however long'],
    ['--idempotency-key <key>', 'idempotency key; by default one is generated if the operation takes one'],
    ['--yes', 'do not ask before spending, ending, exposing or deleting'],
    ...REPEATS,
  ],
  run: async ({ words, own, common }) => (await import('../api/api-command.ts')).runApi(words, common, own),
})
