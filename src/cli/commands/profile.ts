import { Option } from 'commander'
import { BADGE_COLOURS } from '../../tui/theme/badge-colours.ts'
import type { AddOptions } from '../profile/profile-command.ts'
import { command, type CommandDeclaration } from './declare.ts'

type Json = { json?: boolean }

const profile = () => import('../profile/profile-command.ts')
const config = () => import('../config/config-command.ts')

/** `mcpdeck profile` and `mcpdeck config`. A key is never an option, since others could read it. */
export const profiles: readonly CommandDeclaration[] = [
  { name: 'config', says: 'Create, show and check the config file.' },
  command({
    name: 'config init',
    says: 'Write a commented default file if there is none.',
    run: async () => (await config()).initConfig(),
  }),
  command({
    name: 'config path',
    says: 'Print the path of the config file (MCPDECK_CONFIG).',
    run: async () => (await config()).showConfigPath(),
  }),
  command<Json>({
    name: 'config show',
    says: 'Print the settings of the config file, defaults included.',
    flags: [['--json', 'print JSON instead of YAML']],
    run: async ({ own }) => (await config()).showConfig(own.json),
  }),
  command<Json>({
    name: 'config check',
    says: 'List all errors of the config file with line and column.',
    flags: [['--json', 'print {"path", "exists", "problems": [{"line", "column", "message"}]}']],
    run: async ({ own }) => (await config()).checkConfigFile(own.json),
  }),
  { name: 'profile', says: 'List and change the profiles in the config file.' },
  command<Json & { names?: boolean }>({
    name: 'profile list',
    says: 'List the profiles; the default one is marked.',
    flags: [
      ['--json', 'print {"items": [...]}'],
      ['--names', 'print names only, one a line'],
    ],
    run: async ({ own }) => (await profile()).listProfiles(own),
  }),
  command<Json>({
    name: 'profile show',
    says: 'Print a profile, by default the one that would open, and why.',
    words: [['[profile]', 'its name']],
    flags: [['--json', 'print one object']],
    run: async ({ words: [name], own, common }) => (await profile()).showProfile(name, common, own.json),
  }),
  command<AddOptions>({
    name: 'profile add',
    says:
      'Add a profile; without a key source, prompts for its key and stores it. --read-only and --project go ' +
      'into it.',
    words: [
      ['<name>', 'its name'],
      ['<address>', 'base address of the service'],
    ],
    flags: [
      ['--key-file <file>', 'file with the key in its first line, mode 0600'],
      ['--key-command <command>', 'command that prints the key, run without a shell'],
      ['--key-env <variable>', 'environment variable that holds the key'],
      ['--slug <slug>', 'name of the service in its own header names'],
      new Option('--badge <colour>', "colour of the profile's badge").choices(BADGE_COLOURS),
      ['--use', 'make it the default too'],
    ],
    run: async ({ words: [name = '', address = ''], own, common }) =>
      (await profile()).newProfile(name, address, common, own),
  }),
  command({
    name: 'profile use',
    says: 'Set the profile that opens by default.',
    words: [['<profile>', 'its name, or local']],
    run: async ({ words: [name = ''] }) => (await profile()).chooseDefault(name),
  }),
  command<{ yes?: boolean }>({
    name: 'profile remove',
    says: 'Remove a profile and its stored key.',
    words: [['<profile>', 'its name']],
    flags: [['--yes', 'do not ask before the key is deleted']],
    run: async ({ words: [name = ''], own }) => (await profile()).dropProfile(name, own.yes),
  }),
]
