import { Option } from 'commander'
import { EXPORT_FORMATS } from '../../domain/servers/files/export-formats.ts'
import { verb, type CommandDeclaration } from './declare.ts'

/** `mcpdeck server`. */
export const server: readonly CommandDeclaration[] = [
  { name: 'server', says: 'MCP servers in files of other programs, such as mcp.json.' },
  verb(
    {
      name: 'server import',
      says: 'Save the servers of a file of another program, or list those that are found on this machine.',
      words: [
        ['[file]', 'mcp.json or a file like it; - reads standard input; without it, the files of known programs'],
        ['[server...]', 'names of those to import; by default, all of the file'],
      ],
      flags: [
        ['--all', 'without a file: import everything that is found'],
        ['--dry-run', 'show what it would do, and do nothing'],
        ['--yes', 'do not ask'],
        ['--json', 'print {"items": [...], "problems": [...]}, or one object with the plan and what was done'],
      ],
    },
    async () => (await import('../servers/import-command.ts')).importServers,
  ),
  verb(
    {
      name: 'server export',
      says: 'Print saved servers as mcp.json, with references for what the service does not return.',
      words: [['[server...]', 'names or ids; all of the project by default']],
      flags: [new Option('--format <format>', 'whose file').choices(EXPORT_FORMATS).default('mcp')],
    },
    async () => (await import('../servers/export-command.ts')).exportServers,
  ),
]
