import type { Command } from 'commander'
import type { CommonOptions } from '../config/settings.ts'
import { collect } from '../arguments/option-values.ts'
import type { ApplyOptions } from '../documents/apply-command.ts'
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

/** `mcpdeck apply`. */
export function addApply(program: Command, done: Done): void {
  program
    .command('apply')
    .description('Bring a project to what YAML files say, after showing what that does.')
    .requiredOption(
      '-f, --file <file>',
      'file, or directory with all YAML below it; - reads standard input',
      collect,
      [],
    )
    .option('--dry-run', 'show what it would do, and do nothing')
    .option('--prune', 'delete what a directory has not; of a file, only of the nouns that it holds')
    .option('--yes', 'do not ask')
    .option('--json', 'print one object with the plan and what was done')
    .action(async (own: ApplyOptions) => {
      const { runApply } = await import('../documents/apply-command.ts')
      done(await runApply(program.opts<CommonOptions>(), own))
    })
}
