import { type Command, Option } from 'commander'
import { DUPLICATE_POLICIES } from '../../domain/suites/duplicates.ts'
import type { CommonOptions } from '../config/settings.ts'
import type { ExportOptions, ImportOptions } from '../suite/suite-command.ts'

/** `mcpdeck suite`. */
export function addSuite(program: Command, done: (code: number) => void): void {
  const suite = program.command('suite').description('Suites with their cases as files.')
  suite
    .command('export')
    .description('Print a suite with its cases as YAML, or write it to a file.')
    .argument('<suite>', 'id or name of a suite')
    .option('--output <file>', 'file to write; without it, standard output')
    .option('--force', 'replace the file when it is there')
    .action(async (wanted: string, own: ExportOptions) => {
      const { exportSuite } = await import('../suite/suite-command.ts')
      done(await exportSuite(wanted, program.opts<CommonOptions>(), own))
    })
  suite
    .command('import')
    .description('Bring a suite to what a file says, or create it, after showing what that does.')
    .argument('<file>', 'suite file; - reads standard input')
    .option('--dry-run', 'show what it would do, and do nothing')
    .option('--into <suite>', 'suite to change, by id or name, whatever the file calls it')
    .option('--new', 'a new suite, also where one of that name is there')
    .option('--prune', 'delete the cases that the file has not')
    .addOption(
      new Option('--duplicates <policy>', 'a new case that does what another one does').choices(DUPLICATE_POLICIES),
    )
    .option('--reason <text>', 'why duplicates are wanted; warn and create_anyway need it')
    .option('--unchecked', 'send servers, tools and assertion types that are not known as they are')
    .option('--yes', 'do not ask')
    .option('--json', 'print one object with what was done')
    .action(async (file: string, own: ImportOptions) => {
      const { importSuite } = await import('../suite/suite-command.ts')
      done(await importSuite(file, program.opts<CommonOptions>(), own))
    })
  suite
    .command('schema')
    .description('Print the JSON Schema of suite files, for editors.')
    .action(async () => {
      const { printSchema } = await import('../suite/suite-command.ts')
      done(await printSchema())
    })
}
