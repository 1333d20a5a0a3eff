import { Option } from 'commander'
import { EXPORT_FORMATS } from '../../domain/servers/files/export-formats.ts'
import { verb, type CommandDeclaration } from './declare.ts'

/** `mcpdeck server`. */
export const server: readonly CommandDeclaration[] = [
  { name: 'server', says: 'Import and export server lists of other programs, such as mcp.json.' },
  verb(
    {
      name: 'server import',
      says: 'Save servers from a file of another program, or list the files that are found.',
      words: [
        ['[file]', 'mcp.json or a similar file; - reads standard input; by default the files of known programs'],
        ['[server...]', 'names to import; by default all of the file'],
      ],
      flags: [
        ['--all', 'without a file: import everything that is found'],
        ['--dry-run', 'show the changes without making them'],
        ['--yes', 'do not ask'],
        ['--json', 'print {"items": [...], "problems": [...]}, or one object with the plan and what was done'],
      ],
    },
    async () => (await import('../servers/import-command.ts')).importServers,
  ),
  verb(
    {
      name: 'server export',
      says: 'Print saved servers as mcp.json, with references for secrets.',
      words: [['[server...]', 'names or ids; by default all of the project']],
      flags: [new Option('--format <format>', 'format of the file').choices(EXPORT_FORMATS).default('mcp')],
    },
    async () => (await import('../servers/export-command.ts')).exportServers,
  ),
]
