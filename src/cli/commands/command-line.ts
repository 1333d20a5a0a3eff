import { Command, CommanderError, Option } from 'commander'
import { THEME_CHOICES } from '../../tui/theme/theme-choice.ts'
import { addCommands, type CommandDeclaration } from './declare.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommonOptions } from '../config/settings.ts'
import { UsageError, usageErrorText } from '../arguments/usage-error.ts'

/** The options of every command line. */
export type CommandLineOptions = { version: string; dashboard: Dashboard }

/** A command line; `parse` resolves to an exit code, or `undefined` while the program keeps running. */
export type CommandLine = { program: Command; parse: (argv: readonly string[]) => Promise<number | undefined> }

type Dashboard = (
  place: string | undefined,
  options: CommonOptions,
  commands: readonly string[],
) => Promise<number | undefined>

function common(command: Command): Command {
  return command
    .option('--profile <profile>', 'profile of the config file, or local (MCPDECK_PROFILE)')
    .option('--base-url <url>', 'address of the service, with /api/v1 (MCPDECK_BASE_URL)')
    .option('--local', 'use the local workspace, ignoring the configuration')
    .option('--data-dir <dir>', 'directory of the local workspace (MCPDECK_DATA_DIR)')
    .option('--project <project>', 'project to open, by id or name')
    .option('--read-only', 'refuse every write before it is sent')
    .option('--no-color', 'use no colours (NO_COLOR)')
    .option('--ascii', 'use ASCII characters only')
    .addOption(themeOption())
    .option('--no-mouse', 'do not use the mouse')
    .option('--screen-reader', 'print plain lines when something changes (MCPDECK_SCREEN_READER)')
    .option('--log-file <file>', 'write a log without secrets to this file')
}

/** Accepts any name, since a config file can define themes; help and completion list ours. */
function themeOption(): Option {
  const option = new Option('--theme <name>', 'colours (MCPDECK_THEME)')
  option.argChoices = [...THEME_CHOICES]
  return option
}

/** Builds the command line of these commands. */
export function buildCommandLine(options: CommandLineOptions, declared: readonly CommandDeclaration[]): CommandLine {
  let outcome: number | undefined = 0
  const program = common(new Command('mcpdeck'))
  // Commands for several projects accept repeated options.
  program.on('option:project', (id: string) => {
    program.setOptionValue('projects', [...(program.opts<CommonOptions>().projects ?? []), id])
  })
  program
    .description('Terminal dashboard for a service that operates MCP servers.')
    .version(options.version)
    .argument('[place]', 'place to open: findings, projects/P/runs/R, or a mcpdeck:// locator')
    .helpCommand('help [command]', 'Print the help of a command.')
    .exitOverride()
    // Otherwise a mistyped command would be refused only for its arguments.
    .allowExcessArguments()
    .action(async (place: string | undefined) => {
      const commands = program.commands.map(command => command.name())
      if (place !== undefined && program.args.length > 1) throw await noCommand(place, program)
      outcome = await options.dashboard(place, program.opts<CommonOptions>(), commands)
    })
  let hasBegun = false
  program.hook('preAction', (_, command) => {
    refuseEmpty(command)
    hasBegun = true
  })
  addCommands(program, declared, code => {
    outcome = code
  })
  let refused: string | undefined
  eachCommand(program, program.name(), (command, name) =>
    command.configureOutput({
      outputError: text => {
        refused = usageErrorText(text, name)
      },
    }),
  )
  // Discards what commander writes to standard error: for help on an unknown command, that is the whole help.
  program.configureOutput({ writeErr: () => undefined })
  return {
    program,
    async parse(argv) {
      try {
        await program.parseAsync(argv, { from: 'user' })
        return outcome
      } catch (error) {
        const refusal = await refusalOf(error, refused, program)
        // A command that has started handles its own reports.
        if (refusal && !hasBegun)
          return await (await import('../follow/refused-reports.ts')).refuseWithReports(program, argv, refusal)
        if (refusal || !(error instanceof CommanderError)) throw refusal ?? error
        const [word, name] = program.args
        if (error.exitCode !== 0 && word === 'help' && name !== undefined) throw await noCommand(name, program)
        return error.exitCode === 0 ? EXIT.done : EXIT.usage
      }
    },
  }
}

/** Errors that end a command line as invalid usage; undefined for others. */
async function refusalOf(error: unknown, said: string | undefined, program: Command): Promise<UsageError | undefined> {
  if (error instanceof UsageError) return error
  if (said === undefined || !(error instanceof CommanderError)) return undefined
  return new UsageError(said + (await typoBehind(error, program)))
}

/** Returns the message for an unknown option without a command: an earlier word may be a mistyped command. */
async function typoBehind({ code }: CommanderError, program: Command): Promise<string> {
  const [word] = program.args
  if (code !== 'commander.unknownOption' || word === undefined || word.startsWith('-')) return ''
  if (program.commands.some(command => command.name() === word)) return ''
  const near = await nearCommand(word, program)
  return near && ` There is no command "${word}" that could take it.${near}`
}

async function noCommand(word: string, program: Command): Promise<UsageError> {
  return new UsageError(`There is no command "${word}".${await nearCommand(word, program)} See mcpdeck --help.`)
}

async function nearCommand(word: string, program: Command): Promise<string> {
  const { didYouMean } = await import('../../lib/nearest.ts')
  const names = program.commands.map(command => command.name())
  return didYouMean(word, names)
}

/**
 * Refuses empty options, which scripts pass for an unset variable; only free text may be empty.
 * @throws UsageError
 */
function refuseEmpty(command: Command): void {
  if (command.parent) refuseEmpty(command.parent)
  const empty = command.options.find(
    option => [command.getOptionValue(option.attributeName())].flat().includes('') && !option.flags.endsWith('<text>'),
  )
  if (empty) throw new UsageError(`${empty.long} is empty.`)
}

function eachCommand(command: Command, name: string, work: (command: Command, name: string) => void): void {
  work(command, name)
  for (const inner of command.commands) eachCommand(inner, `${name} ${inner.name()}`, work)
}
