import { collect } from '../arguments/option-values.ts'
import { verb, type CommandDeclaration, type DeclaredFlag } from './declare.ts'

const NOUN = 'servers, clients, environments, suites, personas, swarms or journeys'
const ONE = [
  ['<noun>', NOUN],
  ['<name>', 'name or id'],
] as const
const DRY_RUN: DeclaredFlag = ['--dry-run', 'show what it would do, and do nothing']
const YES: DeclaredFlag = ['--yes', 'do not ask']
const DONE: DeclaredFlag = ['--json', 'print one object with what was done']

const apply = () => import('../documents/apply-command.ts')
const records = () => import('../documents/record-commands.ts')

/** A project and its records as files. */
export const documents: readonly CommandDeclaration[] = [
  verb(
    {
      name: 'export',
      says: 'Print a project, or a part of it, as YAML that apply takes, without its secrets.',
      words: [
        ['[noun]', NOUN],
        ['[name]', 'name or id of one'],
      ],
      flags: [
        ['--dir <dir>', 'write a file for each record there'],
        ['--force', 'with --dir: replace files that say something else'],
        ['--json', 'with --dir: print {"items": [...], "left": [...]}'],
      ],
    },
    async () => (await import('../documents/export-command.ts')).runExport,
  ),
  verb(
    {
      name: 'apply',
      says: 'Bring a project to what YAML files say, after showing what that does.',
      flags: [
        ['-f, --file <file>', 'file, or directory with all YAML below it; - reads standard input', collect, []],
        DRY_RUN,
        ['--prune', 'delete what a directory has not; of a file, only of the nouns that it holds'],
        YES,
        ['--json', 'print one object with the plan and what was done'],
      ],
    },
    async () => (await apply()).runApply,
  ),
  verb(
    {
      name: 'create',
      says: 'Make records of one noun from a YAML file, as export writes it.',
      words: [['<noun>', NOUN]],
      flags: [['-f, --file <file>', 'file or directory; - reads standard input', collect, []], DRY_RUN, YES, DONE],
    },
    async () => (await records()).runCreate,
  ),
  verb(
    {
      name: 'edit',
      says: 'Open a record as YAML in your editor, and send what you changed.',
      words: ONE,
      flags: [DRY_RUN, YES, DONE],
    },
    async () => (await records()).runEdit,
  ),
  verb(
    {
      name: 'delete',
      says: 'Delete a record, or archive it where the service keeps it.',
      words: ONE,
      flags: [
        ['--force', 'a client also where something refers to it'],
        YES,
        ['--json', 'print {"id", "name", "done"}'],
      ],
    },
    async () => (await records()).runDelete,
  ),
]
