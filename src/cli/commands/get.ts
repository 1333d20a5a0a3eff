import { Argument, type Command } from 'commander'
import { nounsHelp, PARENT_OPTIONS } from '../get/nouns.ts'
import type { GetOptions } from '../get/get-command.ts'
import type { CommonOptions } from '../config/settings.ts'
import { collect, whole } from '../arguments/option-values.ts'

/** `mcpdeck get`. */
export function addGet(program: Command, done: (code: number) => void): void {
  const get = program
    .command('get')
    .description('List what the service holds, or print one record, for scripts.')
    .addArgument(new Argument('<what>', 'what to list; see below'))
    .argument('[id]', 'id or name of one')
    .option('--json', 'print {"items": [...]}, or the record')
    .option('--jsonl', 'print one item a line, as they arrive')
    .option('--limit <count>', 'print no more than this', whole(1, Number.MAX_SAFE_INTEGER))
    .option('--all', 'read a list to its end, however long it is')
    .option('--status <status>', 'only those in this state')
    .option('--search <text>', 'only those that the service finds by this')
    .option('--filter <name=value>', 'an option that the service takes for this list', collect, [])
  for (const option of PARENT_OPTIONS) get.option(`--${option} <id>`, `${option} that it belongs to`)
  get
    .addHelpText('after', () => nounsHelp())
    .action(async (what: string, id: string | undefined, own: GetOptions) => {
      const { runGet } = await import('../get/get-command.ts')
      done(await runGet([what, id], program.opts<CommonOptions>(), own))
    })
}
