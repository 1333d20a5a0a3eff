import { writeSync } from 'node:fs'
import manifest from '../../package.json' with { type: 'json' }
import { abilitiesOf } from '../app/terminal/abilities.ts'
import { EXIT } from './exit-codes.ts'
import { lastScreenFile, type PaintedScreen, readLastScreen } from './last-screen.ts'
import { createLog } from './log.ts'
import { resolveSettings, UsageError, type CommonOptions } from './settings.ts'
import { openWorkspace } from './workspace.ts'

/** Runs the command line; resolves to the exit code, or `undefined` while the program goes on by itself. */
export async function run(
  argv: readonly string[],
  painted: PaintedScreen | undefined,
): Promise<number | undefined> {
  try {
    return argv.length === 0 ? await dashboard(undefined, {}, painted) : await parse(argv)
  } catch (error) {
    painted?.undo()
    if (!(error instanceof UsageError)) throw error
    process.stderr.write(`mcpdeck: ${error.message}\n`)
    return EXIT.usage
  }
}

async function dashboard(
  placeText: string | undefined,
  options: CommonOptions,
  painted?: PaintedScreen,
): Promise<number | undefined> {
  const settings = resolveSettings(options, process.env)
  const log = createLog(settings.logFile)
  const isTerminal = process.stdout.isTTY && process.stdin.isTTY
  const opened = openWorkspace(settings, log, isTerminal ? 'open' : 'briefly')
  if (!isTerminal) {
    if (placeText !== undefined) {
      // A place that is none is bad usage here too.
      const { openingPlace } = await import('./opening-place.ts')
      openingPlace(placeText, settings.project)
    }
    const { plainSummary } = await import('./plain-summary.ts')
    const code = await plainSummary(opened.workspace, text => void writeSync(1, text))
    await opened.close()
    return code
  }
  const abilities = abilitiesOf(process.env, true)
  if (abilities.dumb)
    throw new UsageError(
      `The terminal "${process.env.TERM ?? ''}" cannot move the cursor; pipe the output to get a plain summary.`,
    )
  const [{ openDashboard }, { openingPlace }] = await Promise.all([
    import('./dashboard.tsx'),
    import('./opening-place.ts'),
  ])
  // Options show other data or show it otherwise; what they show is not what the next plain start comes back to.
  const keeps = hasOptions(options) ? undefined : lastScreenFile(process.env)
  const kept = keeps === undefined ? undefined : readLastScreen(keeps)
  const place = openingPlace(placeText, settings.project, kept?.place)
  openDashboard({
    opened,
    place,
    painted,
    lastScreenFile: keeps,
    abilities: settings.color ? abilities : { ...abilities, colour: 0 },
    ascii: settings.ascii,
    log,
  })
  return undefined
}

/** Whether any option differs from how commander fills it in by itself. */
function hasOptions({ color, ...others }: CommonOptions): boolean {
  return color === false || Object.keys(others).length > 0
}

async function parse(argv: readonly string[]): Promise<number | undefined> {
  const { buildProgram } = await import('./commands.ts')
  return await buildProgram({ version: manifest.version, dashboard }).parse(argv)
}
