import type { Command } from 'commander'
import type { CommonOptions } from '../config/settings.ts'
import { collect } from '../arguments/option-values.ts'
import type { ApplyOptions, CarryOptions } from '../documents/apply-command.ts'
import type { ExportOptions } from '../documents/export-command.ts'
import type { DeleteOptions } from '../documents/record-commands.ts'

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

/** `mcpdeck create`, `edit` and `delete`. */
export function addRecords(program: Command, done: Done): void {
  program
    .command('create')
    .description('Make records of one noun from a YAML file, as export writes it.')
    .argument('<noun>', NOUN)
    .requiredOption('-f, --file <file>', 'file or directory; - reads standard input', collect, [])
    .option('--dry-run', 'show what it would do, and do nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'print one object with what was done')
    .action(async (noun: string, own: ApplyOptions) => {
      const { runCreate } = await import('../documents/record-commands.ts')
      done(await runCreate(noun, program.opts<CommonOptions>(), own))
    })
  program
    .command('edit')
    .description('Open a record as YAML in your editor, and send what you changed.')
    .argument('<noun>', NOUN)
    .argument('<name>', 'name or id')
    .option('--dry-run', 'show what it would do, and do nothing')
    .option('--yes', 'do not ask')
    .option('--json', 'print one object with what was done')
    .action(async (noun: string, name: string, own: CarryOptions) => {
      const { runEdit } = await import('../documents/record-commands.ts')
      done(await runEdit([noun, name], program.opts<CommonOptions>(), own))
    })
  program
    .command('delete')
    .description('Delete a record, or archive it where the service keeps it.')
    .argument('<noun>', NOUN)
    .argument('<name>', 'name or id')
    .option('--force', 'a client also where something refers to it')
    .option('--yes', 'do not ask')
    .option('--json', 'print {"id", "name", "done"}')
    .action(async (noun: string, name: string, own: DeleteOptions) => {
      const { runDelete } = await import('../documents/record-commands.ts')
      done(await runDelete([noun, name], program.opts<CommonOptions>(), own))
    })
}
