import manifest from '../../package.json' with { type: 'json' }
import type { CommandLineOptions } from './commands/command-line.ts'
import { endOnCrash } from './output/crashes.ts'
import type { PaintedScreen } from './dashboard/last-screen.ts'
import type { openPlace } from './dashboard/open-command.ts'
import { chooseErrorFormat } from './output/error-format.ts'
import { outliveReaders } from './output/output.ts'

/** Runs the command line; resolves to the exit code, or `undefined` while the program keeps running. */
export async function run(argv: readonly string[], painted: PaintedScreen | undefined): Promise<number | undefined> {
  endOnCrash()
  chooseErrorFormat(argv)
  try {
    return argv.length === 0 ? await dashboard(undefined, {}, [], painted) : await parse(argv, painted)
  } catch (error) {
    painted?.undo()
    const { reportFailure } = await import('./output/report-failure.ts')
    return reportFailure(error)
  }
}

/** Opens the dashboard. Commands that open nothing, such as `--version`, load neither the client nor its contract. */
async function dashboard(...chosen: Parameters<typeof openPlace>): Promise<number | undefined> {
  const open = await import('./dashboard/open-command.ts')
  return await open.openPlace(...chosen)
}

async function parse(argv: readonly string[], painted: PaintedScreen | undefined): Promise<number | undefined> {
  outliveReaders()
  const { serverCommandLine } = await import('./commands/server-commands.ts')
  const open: CommandLineOptions['dashboard'] = async (...chosen) => await dashboard(...chosen, painted)
  const options = { version: manifest.version, dashboard: open }
  const line = serverCommandLine(argv, options) ?? (await import('./commands.ts')).buildProgram(options, argv[0])
  return await line.parse(argv)
}
