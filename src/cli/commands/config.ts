import type { Command } from 'commander'

type Done = (code: number) => void

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
