import type { Command } from 'commander'
import type { CommonOptions } from '../config/settings.ts'
import type { ExportOptions } from '../documents/export-command.ts'

type Done = (code: number) => void

const NOUN = 'servers, clients, environments, suites, personas, swarms or journeys'

/** `mcpdeck export`. */
export function addExport(program: Command, done: Done): void {
  program
    .command('export')
    .description('Print a project, or a part of it, as YAML that apply takes, without its secrets.')
    .argument('[noun]', NOUN)
    .argument('[name]', 'name or id of one')
    .option('--dir <dir>', 'write a file for each record there')
    .option('--force', 'with --dir: replace files that say something else')
    .option('--json', 'with --dir: print {"items": [...], "left": [...]}')
    .action(async (noun: string | undefined, name: string | undefined, own: ExportOptions) => {
      const { runExport } = await import('../documents/export-command.ts')
      done(await runExport([noun, name], program.opts<CommonOptions>(), own))
    })
}
