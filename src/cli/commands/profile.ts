import { type Command, Option } from 'commander'
import { BADGE_COLOURS } from '../../tui/theme/badge-colours.ts'
import type { AddOptions } from '../profile/profile-command.ts'
import type { CommonOptions } from '../config/settings.ts'

type Done = (code: number) => void

/** `mcpdeck profile`. A key is never an option: others could read it. */
export function addProfiles(program: Command, done: Done): void {
  const profile = program.command('profile').description('List and change the services that the config names.')
  profile
    .command('list')
    .description('List the profiles; the default one is marked.')
    .option('--json', 'print {"items": [...]}')
    .option('--names', 'names only, a line each')
    .action(async (own: { json?: boolean; names?: boolean }) => {
      const { listProfiles } = await import('../profile/profile-command.ts')
      done(await listProfiles(own))
    })
  profile
    .command('show')
    .description('Print a profile, by default the one that would open now, and why it would.')
    .argument('[profile]', 'its name')
    .option('--json', 'print one object')
    .action(async (name: string | undefined, own: { json?: boolean }) => {
      const { showProfile } = await import('../profile/profile-command.ts')
      done(await showProfile(name, program.opts<CommonOptions>(), own.json))
    })
  profile
    .command('add')
    .description(
      'Add a profile; without a key source, prompts for its key and stores it. --read-only and --project go into it.',
    )
    .argument('<name>', 'how it is called from now on')
    .argument('<address>', 'base address of the service')
    .option('--key-file <file>', 'file with the key in its first line, mode 0600')
    .option('--key-command <command>', 'command that prints the key, run without a shell')
    .option('--key-env <variable>', 'environment variable that holds the key')
    .option('--slug <slug>', 'name of the service in its own header names')
    .addOption(new Option('--badge <colour>', "colour of the profile's badge").choices(BADGE_COLOURS))
    .option('--use', 'make it the default too')
    .action(async (name: string, address: string, own: AddOptions) => {
      const { newProfile } = await import('../profile/profile-command.ts')
      done(await newProfile(name, address, program.opts<CommonOptions>(), own))
    })
  profile
    .command('use')
    .description('Make a profile the one that opens by default.')
    .argument('<profile>', 'its name, or local')
    .action(async (name: string) => {
      const { chooseDefault } = await import('../profile/profile-command.ts')
      done(await chooseDefault(name))
    })
  profile
    .command('remove')
    .description('Remove a profile, and the key that was typed for it.')
    .argument('<profile>', 'its name')
    .option('--yes', 'do not ask before the key is deleted')
    .action(async (name: string, own: { yes?: boolean }) => {
      const { dropProfile } = await import('../profile/profile-command.ts')
      done(await dropProfile(name, own.yes))
    })
}

/** `mcpdeck config`. */
export function addConfig(program: Command, done: Done): void {
  const config = program.command('config').description('Make, show and check the config file.')
  config
    .command('init')
    .description('Write the commented default file where there is none.')
    .action(async () => {
      const { initConfig } = await import('../config/config-command.ts')
      done(await initConfig())
    })
  config
    .command('path')
    .description('Tell where the config file lies (MCPDECK_CONFIG).')
    .action(async () => {
      const { showConfigPath } = await import('../config/config-command.ts')
      done(showConfigPath())
    })
  config
    .command('show')
    .description('Print the settings in force, defaults included.')
    .option('--json', 'as JSON instead of YAML')
    .action(async (own: { json?: boolean }) => {
      const { showConfig } = await import('../config/config-command.ts')
      done(await showConfig(own.json))
    })
  config
    .command('check')
    .description('Name everything that is wrong in the config file, with line and column.')
    .option('--json', 'print {"path", "exists", "problems": [{"line", "column", "message"}]}')
    .action(async (own: { json?: boolean }) => {
      const { checkConfigFile } = await import('../config/config-command.ts')
      done(await checkConfigFile(own.json))
    })
}
