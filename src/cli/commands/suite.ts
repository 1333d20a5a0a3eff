import { Option } from 'commander'
import { DUPLICATE_POLICIES } from '../../domain/suites/duplicates.ts'
import { command, verb, type CommandDeclaration } from './declare.ts'

const suite = () => import('../suite/suite-command.ts')

/** `mcpdeck suite`. */
export const suites: readonly CommandDeclaration[] = [
  { name: 'suite', says: 'Suites with their cases as files.' },
  verb(
    {
      name: 'suite export',
      says: 'Print a suite with its cases as YAML, or write it to a file.',
      words: [['<suite>', 'id or name of a suite']],
      flags: [
        ['--output <file>', 'file to write; without it, standard output'],
        ['--force', 'replace the file when it is there'],
      ],
    },
    async () => (await suite()).exportSuite,
  ),
  verb(
    {
      name: 'suite import',
      says: 'Bring a suite to what a file says, or create it, after showing what that does.',
      words: [['<file>', 'suite file; - reads standard input']],
      flags: [
        ['--dry-run', 'show what it would do, and do nothing'],
        ['--into <suite>', 'suite to change, by id or name, whatever the file calls it'],
        ['--new', 'a new suite, also where one of that name is there'],
        ['--prune', 'delete the cases that the file has not'],
        new Option('--duplicates <policy>', 'a new case that does what another one does').choices(DUPLICATE_POLICIES),
        ['--reason <text>', 'why duplicates are wanted; warn and create_anyway need it'],
        ['--unchecked', 'send servers, tools and assertion types that are not known as they are'],
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
