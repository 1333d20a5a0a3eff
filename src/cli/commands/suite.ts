import { Option } from 'commander'
import { DUPLICATE_POLICIES } from '../../domain/suites/duplicates.ts'
import { command, verb, type CommandDeclaration } from './declare.ts'

const suite = () => import('../suite/suite-command.ts')

/** Declares `mcpdeck suite` and its commands. */
export const suites: readonly CommandDeclaration[] = [
  { name: 'suite', says: 'Export and import suites with their cases as files.' },
  verb(
    {
      name: 'suite export',
      says: 'Print a suite with its cases as YAML, or write it to a file.',
      words: [['<suite>', 'id or name of a suite']],
      flags: [
        ['--output <file>', 'file to write; without it, standard output'],
        ['--force', 'replace an existing file'],
      ],
    },
    async () => (await suite()).exportSuite,
  ),
  verb(
    {
      name: 'suite import',
      says: 'Change a suite to match a file, or create it, after showing the changes.',
      words: [['<file>', 'suite file; - reads standard input']],
      flags: [
        ['--dry-run', 'show the changes without making them'],
        ['--into <suite>', 'suite to change, by id or name, instead of the one in the file'],
        ['--new', 'create a new suite, even if its name exists'],
        ['--prune', 'delete cases that are not in the file'],
        new Option('--duplicates <policy>', 'what to do with a new case that duplicates another').choices(
          DUPLICATE_POLICIES,
        ),
        ['--reason <text>', 'reason for duplicates; required by warn and create_anyway'],
        ['--unchecked', 'send unknown servers, tools and assertion types unchanged'],
        ['--yes', 'do not ask'],
        ['--json', 'print one object with what was done'],
      ],
    },
    async () => (await suite()).importSuite,
  ),
  command({
    name: 'suite schema',
    says: 'Print the JSON Schema of suite files, for editors.',
    run: async () => (await suite()).printSchema(),
  }),
]
