import { Command, CommanderError, InvalidArgumentError } from 'commander'
import type { ApiOptions } from './api-command.ts'
import type { CommonOptions } from './settings.ts'

type Dashboard = (place: string | undefined, options: CommonOptions) => Promise<number | undefined>

function common(command: Command): Command {
  return command
    .option('--base-url <url>', 'address of the service, with /api/v1 (MCPDECK_BASE_URL)')
    .option('--local', 'the local workspace, whatever else is configured')
    .option('--data-dir <dir>', 'directory of the local workspace (MCPDECK_DATA_DIR)')
    .option('--project <id>', 'project to begin with')
    .option('--read-only', 'refuse every write before it is sent')
    .option('--no-color', 'no colours (NO_COLOR)')
    .option('--ascii', 'no characters beyond ASCII')
    .option('--log-file <file>', 'write a log there, without secrets')
}

/** A whole number within bounds, for an option. */
function whole(least: number, most: number) {
  return (text: string): number => {
    const value = Number(text)
    if (!Number.isInteger(value) || value < least || value > most)
      throw new InvalidArgumentError(`Give a whole number from ${least} to ${most}.`)
    return value
  }
}

/** The command line; `parse` resolves to an exit code, or `undefined` while the program goes on by itself. */
export function buildProgram(options: { version: string; dashboard: Dashboard }) {
  let outcome: number | undefined = 0
  const program = common(new Command('mcpdeck'))
    .description('Terminal dashboard for a service that operates MCP servers.')
    .version(options.version)
    .argument('[place]', 'where to open: projects/P/runs/R, projects/P/servers/S, or a mcpdeck:// locator')
    .configureOutput({
      outputError: (text, write) =>
        write(text.replace(/^error: /, 'mcpdeck: ').trimEnd() + ' Try mcpdeck --help.\n'),
    })
    .exitOverride()
    .action(async (place: string | undefined) => {
      outcome = await options.dashboard(place, program.opts<CommonOptions>())
    })
  addApi(program, code => {
    outcome = code
  })
  addServe(program, code => {
    outcome = code
  })
  return {
    program,
    async parse(argv: readonly string[]): Promise<number | undefined> {
      try {
        await program.parseAsync(argv, { from: 'user' })
        return outcome
      } catch (error) {
        if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2
        throw error
      }
    },
  }
}

/** Collects a repeated option. */
function collect(text: string, all: string[]): string[] {
  return [...all, text]
}

function addApi(program: Command, done: (code: number) => void): void {
  program
    .command('api')
    .description('Call any operation of the contract, by name or by method and path.')
    .argument('[words...]', 'an operation such as listProjects, or METHOD PATH')
    .option('--list', 'list every operation with its input, risk and gate')
    .option('--json', 'with --list: print {"items": [...]}')
    .option('--field <name=value>', 'path, query or body field; dots reach into the body', collect, [])
    .option('--input <file>', 'the body as JSON; - reads standard input')
    .option('--paginate', 'follow the cursors and print all items as one list')
    .option('--idempotency-key <key>', 'key of this intent; one is made where the operation takes one')
    .option('--yes', 'do not ask before what spends, ends, exposes or deletes')
    .exitOverride()
    .action(async (words: string[], own: ApiOptions) => {
      const { runApi } = await import('./api-command.ts')
      done(await runApi(words, program.opts<CommonOptions>(), own))
    })
}

type ServeOptions = {
  port: number
  host: string
  allowRemote?: boolean
  rateLimit?: number
  burst?: number
  maxRuns?: number
  fault: string[]
  seed?: number
  json?: boolean
}

function addServe(program: Command, done: (code: number | undefined) => void): void {
  const serve = program
    .command('serve')
    .description('Serve the local workspace over HTTP on loopback, for other clients.')
    .option('--port <port>', 'port; 0 picks a free one', whole(0, 65_535), 4747)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--allow-remote', 'listen also on an address that other machines reach')
    .option(
      '--rate-limit <count>',
      'requests a minute and key; 0 switches the limit off',
      whole(0, 1_000_000),
    )
    .option('--burst <count>', 'requests at once', whole(1, 1_000_000))
    .option('--max-runs <count>', 'eval runs at the same time', whole(1, 1000))
    .option('--fault <kind=value>', 'add a fault, such as latency=200 or 500=0.1', collect, [])
    .option('--seed <number>', 'make the faults repeatable', whole(0, Number.MAX_SAFE_INTEGER))
    .option('--json', 'print one line {"baseUrl","keyFile","pid"} once it listens')
    .action(async (own: ServeOptions) => {
      const { runServe } = await import('./serve-command.ts')
      await runServe(program.opts<CommonOptions>(), own)
      done(undefined)
    })
  serve.exitOverride()
  addKeys(serve, program, done)
}

function addKeys(serve: Command, program: Command, done: (code: number) => void): void {
  const key = serve.command('key').description('Make, list and revoke keys of the local workspace.')
  key
    .command('create <name>')
    .description('Make a key; it is written to a file that only you can read, and never shown again.')
    .option('--role <role>', 'guest, member, editor or admin', 'admin')
    .action(async (name: string, own: { role: string }) => {
      const { createKey } = await import('./serve-command.ts')
      done(createKey(program.opts<CommonOptions>(), name, own.role))
    })
  key
    .command('list')
    .description('List keys; their text is not kept.')
    .action(async () => {
      const { listKeys } = await import('./serve-command.ts')
      done(listKeys(program.opts<CommonOptions>()))
    })
  key
    .command('revoke <id>')
    .description('Revoke a key at once.')
    .action(async (id: string) => {
      const { revokeKey } = await import('./serve-command.ts')
      done(revokeKey(program.opts<CommonOptions>(), id))
    })
}
