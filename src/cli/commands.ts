import { Command, CommanderError, Option } from 'commander'
import { THEME_CHOICES } from '../tui/theme/theme-choice.ts'
import { ANSWER_SHAPES, type AnswerShape } from '../service/workspace/answer-shapes.ts'
import { FAULT_FORM } from '../service/faults/kinds.ts'
import { LIMITS, MAX_LIMIT, type LimitName, GATE_NAMES, LIMIT_NAMES } from '../service/core/limits/limits.ts'
import { PROJECT_ROLES } from '../api/contract/endpoint.ts'
import { DEFAULT_PORT } from '../service/core/urls.ts'
import type { ApiOptions } from './api/api-command.ts'
import { addConfig, addProfiles } from './commands/profile.ts'
import { addGet, addCompletion, addDoctor, addVisit, addNotebook, addJournal } from './commands/inspection.ts'
import { addRun, addWatch } from './commands/run.ts'
import { addSuite } from './commands/suite.ts'
import { addCommands } from './commands/declare.ts'
import { verbs } from './commands/verbs.ts'
import { EXIT } from './process/exit-codes.ts'
import { collect, RETRY, SEND_NEW, whole } from './arguments/option-values.ts'
import type { KeyOptions } from './serve/serve-command.ts'
import type { CommonOptions } from './config/settings.ts'
import { UsageError, usageErrorText } from './arguments/usage-error.ts'

type Dashboard = (
  place: string | undefined,
  options: CommonOptions,
  commands: readonly string[],
) => Promise<number | undefined>

function common(command: Command): Command {
  return command
    .option('--profile <profile>', 'profile of the config file, or local (MCPDECK_PROFILE)')
    .option('--base-url <url>', 'address of the service, with /api/v1 (MCPDECK_BASE_URL)')
    .option('--local', 'the local workspace, whatever else is configured')
    .option('--data-dir <dir>', 'directory of the local workspace (MCPDECK_DATA_DIR)')
    .option('--project <id>', 'project to begin with')
    .option('--read-only', 'refuse every write before it is sent')
    .option('--no-color', 'no colours (NO_COLOR)')
    .option('--ascii', 'no characters beyond ASCII')
    .addOption(new Option('--theme <name>', 'colours (MCPDECK_THEME)').choices(THEME_CHOICES))
    .option('--no-mouse', 'leave the mouse to the terminal')
    .option('--screen-reader', 'plain lines as things change (MCPDECK_SCREEN_READER)')
    .option('--log-file <file>', 'write a log there, without secrets')
}

/** The command line; `parse` resolves to an exit code, or `undefined` while the program goes on by itself. */
export function buildProgram(options: { version: string; dashboard: Dashboard }) {
  let outcome: number | undefined = 0
  const program = common(new Command('mcpdeck'))
    .description('Terminal dashboard for a service that operates MCP servers.')
    .version(options.version)
    .argument('[place]', 'where to open: findings, projects/P/runs/R, or a mcpdeck:// locator')
    .exitOverride()
    // A command with a typo in it would else be told of its arguments alone.
    .allowExcessArguments()
    .action(async (place: string | undefined) => {
      const commands = program.commands.map(command => command.name())
      if (place !== undefined && program.args.length > 1)
        throw new UsageError(`There is no command "${place}".${await nearCommand(place, program)} See mcpdeck --help.`)
      outcome = await options.dashboard(place, program.opts<CommonOptions>(), commands)
    })
  addApi(program, code => {
    outcome = code
  })
  addServe(program, code => {
    outcome = code
  })
  addNotebook(
    program,
    code => {
      outcome = code
    },
    chosen => options.dashboard('notebook', chosen, []),
  )
  for (const add of [
    addGet,
    addWatch,
    addRun,
    addSuite,
    addDoctor,
    addJournal,
    addConfig,
    addProfiles,
    addVisit,
    addCompletion,
  ])
    add(program, code => {
      outcome = code
    })
  addCommands(program, verbs, code => {
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
  return {
    program,
    async parse(argv: readonly string[]): Promise<number | undefined> {
      try {
        await program.parseAsync(argv, { from: 'user' })
        return outcome
      } catch (error) {
        if (!(error instanceof CommanderError)) throw error
        if (refused !== undefined) throw new UsageError(refused + (await typoBehind(error, program)))
        return error.exitCode === 0 ? EXIT.done : EXIT.usage
      }
    },
  }
}

/** An option that is none without a command, where what stands before it was probably meant for one. */
async function typoBehind({ code }: CommanderError, program: Command): Promise<string> {
  const [word] = program.args
  if (code !== 'commander.unknownOption' || word === undefined || word.startsWith('-')) return ''
  if (program.commands.some(command => command.name() === word)) return ''
  const near = await nearCommand(word, program)
  return near && ` There is no command "${word}" that could take it.${near}`
}

async function nearCommand(word: string, program: Command): Promise<string> {
  const { didYouMean } = await import('../lib/nearest.ts')
  const names = program.commands.map(command => command.name())
  return didYouMean(word, names)
}

function eachCommand(command: Command, name: string, work: (command: Command, name: string) => void): void {
  work(command, name)
  for (const inner of command.commands) eachCommand(inner, `${name} ${inner.name()}`, work)
}

function addApi(program: Command, done: (code: number) => void): void {
  program
    .command('api')
    .description('Call any operation of the contract, by name or by method and path.')
    .argument('[operation...]', 'an operation such as listProjects, or METHOD PATH')
    .option('--list', 'list every operation with its input, risk and gate')
    .option('--json', 'with --list: print {"items": [...]}')
    .option('--field <name=value>', 'path, query or body field; dots reach into the body', collect, [])
    .option('--input <file>', 'the body as JSON; - reads standard input')
    .option('--paginate', 'follow the cursors and print all items as one list')
    .option('--all', 'with --paginate: to the end, however long the list is')
    .option('--idempotency-key <key>', 'key of this intent; one is made where the operation takes one')
    .option('--yes', 'do not ask before what spends, ends, exposes or deletes')
    .option('--retry <id>', RETRY)
    .option('--new', SEND_NEW)
    .exitOverride()
    .action(async (words: string[], own: ApiOptions) => {
      const { runApi } = await import('./api/api-command.ts')
      done(await runApi(words, program.opts<CommonOptions>(), own))
    })
}

type ServeOptions = {
  port: number
  host: string
  allowRemote?: boolean
  allowHost: string[]
  rateLimit?: number
  burst?: number
  maxRuns?: number
  sample?: boolean
  fault: string[]
  seed?: number
  requestLog?: string | true
  shape?: AnswerShape
  json?: boolean
}

/** A number that goes before a stored limit in this process. */
function limitOption(name: LimitName) {
  const { says, min } = LIMITS[name]
  return [`${says} Default: the stored limit.`, whole(min, MAX_LIMIT)] as const
}

function addServe(program: Command, done: (code: number | undefined) => void): void {
  const serve = program
    .command('serve')
    .description('Serve the local workspace over HTTP on loopback, for other clients.')
    .option('--port <port>', 'port; 0 picks a free one', whole(0, 65_535), DEFAULT_PORT)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-remote', 'listen also on an address that other machines reach')
    .option('--allow-host <name>', 'name of a proxy before a loopback address; others are refused', collect, [])
    .option('--rate-limit <count>', ...limitOption('requestsPerMinute'))
    .option('--burst <count>', ...limitOption('burst'))
    .option('--max-runs <count>', ...limitOption('concurrentRuns'))
    .option('--sample', 'add samples to the workspace where there are none')
    .option('--fault <kind=value>', `add a fault: ${FAULT_FORM}`, collect, [])
    .option('--seed <number>', 'make the faults repeatable', whole(0, Number.MAX_SAFE_INTEGER))
    .addOption(
      new Option('--shape <name>', 'answer in the shapes of the service document, or of the published file')
        .choices(ANSWER_SHAPES)
        .default('document'),
    )
    .option('--request-log [file]', 'note each request in a file, or on standard output')
    .option('--json', 'print one line {"baseUrl","keyFile","pid"} once it listens, and note requests as JSON')
    .action(async (own: ServeOptions) => {
      const { runServe } = await import('./serve/serve-command.ts')
      done(await runServe(program.opts<CommonOptions>(), own))
    })
  serve.exitOverride()
  addKeys(serve, program, done)
  addLimits(serve, program, done)
  addGates(serve, program, done)
  addSamples(serve, program, done)
  serve
    .command('status')
    .description('Tell what is under way in the local workspace, and what of its limits is used.')
    .option('--json', 'print one object')
    .action(async (_own: object, command: Command) => {
      const { showStatus } = await import('./serve/serve-settings.ts')
      done(showStatus(program.opts<CommonOptions>(), wantsJson(command)))
    })
  // Commands start it themselves.
  serve
    .command('worker', { hidden: true })
    .description('Execute what commands hand over, until nothing is left of it.')
    .action(async () => {
      const { runWorker } = await import('./worker/worker.ts')
      await runWorker(program.opts<CommonOptions>())
      done(undefined)
    })
}

/** `serve` takes `--json` too, and with it the word wherever it stands. */
function wantsJson(command: Command): boolean | undefined {
  return command.optsWithGlobals<{ json?: boolean }>().json
}

function addLimits(serve: Command, program: Command, done: (code: number) => void): void {
  const limits = serve
    .command('limits')
    .description('List the limits of the local workspace, or change them; running processes follow at once.')
    .option('--json', 'print {"items": [...]}')
    .action(async (_own: object, command: Command) => {
      const { showLimits } = await import('./serve/serve-settings.ts')
      done(showLimits(program.opts<CommonOptions>(), wantsJson(command)))
    })
  limits
    .command('set <name=value...>')
    .description(`Set limits: ${LIMIT_NAMES.join(', ')}.`)
    .action(async (set: string[], _own: object, command: Command) => {
      const { changeLimits } = await import('./serve/serve-settings.ts')
      done(changeLimits(program.opts<CommonOptions>(), { set }, wantsJson(command)))
    })
  limits
    .command('unset <name...>')
    .description('Give limits their defaults back.')
    .action(async (unset: string[], _own: object, command: Command) => {
      const { changeLimits } = await import('./serve/serve-settings.ts')
      done(changeLimits(program.opts<CommonOptions>(), { unset }, wantsJson(command)))
    })
}

function addGates(serve: Command, program: Command, done: (code: number) => void): void {
  serve
    .command('gate')
    .description('List the features that can be switched off, or switch one; running processes follow at once.')
    .argument('[name]', GATE_NAMES.join(' or '))
    .argument('[state]', 'on or off')
    .option('--json', 'print {"items": [...]}')
    .action(async (name: string | undefined, state: string | undefined, _own: object, command: Command) => {
      const { gates } = await import('./serve/serve-settings.ts')
      done(gates(program.opts<CommonOptions>(), [name, state], wantsJson(command)))
    })
}

function addSamples(serve: Command, program: Command, done: (code: number) => void): void {
  const sample = serve
    .command('sample')
    .description('Add samples of findings, scenarios and runs to the local workspace, or remove them in one step.')
  sample
    .command('add')
    .description('Add the samples where there are none, and list them.')
    .option('--json', 'print {"items": [...]}')
    .action(async (_own: object, command: Command) => {
      const samples = await import('./serve/serve-samples.ts')
      done(samples.addSamples(program.opts<CommonOptions>(), wantsJson(command)))
    })
  sample
    .command('remove')
    .description('Remove the samples, with all runs and sessions that belong to them.')
    .option('--json', 'print {"removed": [...], "kept": [...]}')
    .action(async (_own: object, command: Command) => {
      const samples = await import('./serve/serve-samples.ts')
      done(samples.dropSamples(program.opts<CommonOptions>(), wantsJson(command)))
    })
  sample
    .command('status')
    .description('List the samples that are there.')
    .option('--json', 'print {"items": [...]}')
    .action(async (_own: object, command: Command) => {
      const samples = await import('./serve/serve-samples.ts')
      done(samples.showSamples(program.opts<CommonOptions>(), wantsJson(command)))
    })
}

function addKeys(serve: Command, program: Command, done: (code: number) => void): void {
  const key = serve.command('key').description('Make, list and revoke keys of the local workspace.')
  key
    .command('create <name>')
    .description('Make a key; it is written to a file that only you can read, and never shown again.')
    .option('--role <role>', `${PROJECT_ROLES.join(', ')}: in every project (default: admin, unless granted)`)
    .option('--grant <project=role>', 'role in one project, by its id', collect, [])
    .option('--json', 'print the record of the key with its file')
    .action(async (name: string, own: KeyOptions, command: Command) => {
      const { createKey } = await import('./serve/serve-command.ts')
      done(createKey(program.opts<CommonOptions>(), name, { ...own, json: wantsJson(command) ?? false }))
    })
  key
    .command('list')
    .description('List keys with their organization and rights; their text is not kept.')
    .option('--json', 'print {"items": [...]}')
    .action(async (_own: object, command: Command) => {
      const { listKeys } = await import('./serve/serve-command.ts')
      done(listKeys(program.opts<CommonOptions>(), wantsJson(command)))
    })
  key
    .command('revoke <id>')
    .description('Revoke a key at once.')
    .action(async (id: string) => {
      const { revokeKey } = await import('./serve/serve-command.ts')
      done(revokeKey(program.opts<CommonOptions>(), id))
    })
  key
    .command('orphan <id>')
    .description('Take a key’s organization away, so that it is refused with ORPHANED_KEY.')
    .action(async (id: string) => {
      const { orphanKey } = await import('./serve/serve-command.ts')
      done(orphanKey(program.opts<CommonOptions>(), id))
    })
}
