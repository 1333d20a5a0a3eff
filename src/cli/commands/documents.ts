import { collect } from '../arguments/option-values.ts'
import { verb, type CommandDeclaration, type DeclaredFlag } from './declare.ts'

const NOUN = 'servers, clients, environments, suites, personas, swarms or journeys'
const ONE = [
  ['<noun>', NOUN],
  ['<name>', 'name or id'],
] as const
const DRY_RUN: DeclaredFlag = ['--dry-run', 'show the changes without making them']
const YES: DeclaredFlag = ['--yes', 'do not ask']
const DONE: DeclaredFlag = ['--json', 'print one object with what was done']

const apply = () => import('../documents/apply-command.ts')
const records = () => import('../documents/record-commands.ts')

/** Commands that export and apply a project and its records as files. */
export const documents: readonly CommandDeclaration[] = [
  verb(
    {
      name: 'export',
      says: 'Print a project, or a part of it, as YAML for apply, without secrets.',
      words: [
        ['[noun]', NOUN],
        ['[name]', 'name or id of one'],
      ],
      flags: [
        ['--dir <dir>', 'write a file for each record to this directory'],
        ['--force', 'with --dir: replace files that differ'],
        ['--json', 'with --dir: print {"items": [...], "left": [...]}'],
      ],
    },
    async () => (await import('../documents/export-command.ts')).runExport,
  ),
  verb(
    {
      name: 'apply',
      says: 'Change a project to match YAML files, after showing the changes.',
      flags: [
        ['-f, --file <file>', 'file, or directory with YAML files; - reads standard input', collect, []],
        DRY_RUN,
        ['--prune', 'delete records that the directory does not have; for a file, only of its nouns'],
        YES,
        ['--json', 'print one object with the plan and what was done'],
      ],
    },
    async () => (await apply()).runApply,
  ),
  verb(
    {
      name: 'create',
      says: 'Create records of one noun from a YAML file, as export writes it.',
      words: [['<noun>', NOUN]],
      flags: [['-f, --file <file>', 'file or directory; - reads standard input', collect, []], DRY_RUN, YES, DONE],
    },
    async () => (await records()).runCreate,
  ),
  verb(
    {
      name: 'edit',
      says: 'Open a record as YAML in your editor and send your changes.',
      words: ONE,
      flags: [DRY_RUN, YES, DONE],
    },
    async () => (await records()).runEdit,
  ),
  verb(
    {
      name: 'delete',
      says: 'Delete a record, or archive it if the service keeps such records.',
      words: ONE,
      flags: [
        ['--force', 'delete a client even if something refers to it'],
        YES,
        ['--json', 'print {"id", "name", "done"}'],
      ],
    },
    async () => (await records()).runDelete,
  ),
]
