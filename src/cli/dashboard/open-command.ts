import { abilitiesOf, type Abilities } from '../../tui/terminal/abilities.ts'
import { atProfileOf } from '../profile/at-profile.ts'
import { isAtTerminal } from '../process/at-terminal.ts'
import { leaveCrashesAlone } from '../output/crashes.ts'
import { lastScreenFile, type PaintedScreen, readLastScreen } from './last-screen.ts'
import { createLog } from '../output/log.ts'
import { resolveTtyConventions, type TtyConventions } from './tty-conventions.ts'
import { printDirectly } from '../output/output.ts'
import { say } from '../output/prose.ts'
import { askSecret } from '../config/secret-prompt.ts'
import { resolveSettings, UsageError, type CommonOptions, type Settings } from '../config/settings.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import type { Bindings } from '../../tui/keymap/binding.ts'
import type { Overrides } from '../../tui/keymap/overrides.ts'

/**
 * Opens the dashboard, or prints the summary if there is no terminal; resolves to an exit code, or `undefined` while
 * the dashboard keeps running.
 * @param commands the commands, to suggest one if the place was meant as a command
 * @throws UsageError for a place or settings that cannot be used
 */
export async function openPlace(
  placeText: string | undefined,
  given: CommonOptions,
  commands: readonly string[],
  painted?: PaintedScreen,
): Promise<number | undefined> {
  const options = await atProfileOf(placeText, given, process.env)
  let picture = painted
  const settings = await resolveSettings(options, process.env, async question => {
    // A question belongs below the shell's own lines, not in the picture.
    picture?.undo()
    picture = undefined
    return await askSecret(question)
  })
  const conventions = resolveTtyConventions(options, process.env, settings.preferences)
  const log = createLog(settings.logFile)
  const isTerminal = isAtTerminal()
  const notice = Promise.withResolvers<string>()
  const opened = openWorkspace(settings, log, isTerminal ? 'open' : 'briefly', {
    tell: isTerminal ? notice.resolve : say,
  })
  if (!isTerminal) {
    let project = options.project
    if (placeText !== undefined) {
      // An unknown place is wrong usage here too.
      const { openingPlace } = await import('./opening-place.ts')
      const { params } = openingPlace(placeText, opened.workspace.profile, { project: settings.project, commands })
      project = params['projectId']
    }
    const { plainSummary } = await import('./plain-summary.ts')
    const code = await plainSummary(opened.workspace, printDirectly, project)
    await opened.close()
    return code
  }
  const abilities = requireAbilities(conventions)
  const [{ openDashboard }, { locatorOf, openingPlace }, screens] = await loadDashboard()
  const { file, leftFile } = conventions.screenReader
    ? {}
    : screenFiles(placeText !== undefined && options.profile === given.profile)
  const stored = file === undefined ? undefined : readLastScreen(file)
  const left = opened.place.get() ?? stored?.place
  const place = openingPlace(placeText, opened.workspace.profile, {
    project: settings.project,
    // A person who names a project wants to start in it.
    left: options.project === undefined ? left : undefined,
    commands,
  })
  const namesPlace = placeText !== undefined || options.project !== undefined
  if ((namesPlace ? locatorOf(place) : left) !== stored?.place) {
    // The picture shows another place: a start with another command line has changed the last place since, or this
    // command line now names another project.
    picture?.undo()
    picture = undefined
  }
  // From here on the code that controls the terminal restores it after a crash.
  leaveCrashesAlone()
  openDashboard({
    opened,
    place,
    isFirst: placeText === undefined && left === undefined && settings.project === undefined,
    screens,
    painted: picture,
    lastScreenFile: file,
    leftScreenFile: leftFile,
    namesPlace,
    project: options.project,
    ...(await lookOf(settings, abilities)),
    conventions,
    log,
    notice: notice.promise,
  })
  return undefined
}

/**
 * Returns the file for the screen of this command line. If the command line is only a place without a profile, also
 * returns the file for the screen that a start without arguments restores. A start with options shows other data or
 * looks different, so its screen is not restored there.
 */
function screenFiles(namesPlaceHere: boolean): { file?: string; leftFile?: string } {
  const argv = process.argv.slice(2)
  return {
    file: lastScreenFile(process.env, argv),
    ...(namesPlaceHere && argv.length === 1 && { leftFile: lastScreenFile(process.env, []) }),
  }
}

/** Loads all modules that draw, at the same time. */
export function loadDashboard() {
  return Promise.all([
    import('./dashboard.tsx'),
    import('./opening-place.ts'),
    import('../../app/registry.ts').then(({ loadScreens }) => loadScreens()),
  ])
}

/** Returns the abilities of the terminal. @throws UsageError if they are not enough for a screen */
export function requireAbilities({ screenReader }: TtyConventions): Abilities {
  const abilities = abilitiesOf(process.env, true)
  if (abilities.dumb && !screenReader)
    throw new UsageError(
      `The terminal "${process.env.TERM ?? ''}" cannot move the cursor; pass --screen-reader for plain ` +
        'lines, or pipe the output to get a summary.',
    )
  return abilities
}

/** Returns the look and keys according to the settings. */
export async function lookOf(settings: Settings, abilities: Abilities) {
  return {
    abilities: settings.color ? abilities : ({ ...abilities, colour: 0 } as const),
    ascii: settings.ascii,
    badge: settings.profile.badge,
    bindings: await boundKeys(settings.preferences.keys),
    reads: settings.preferences.reads,
    reducedMotion: settings.preferences.reducedMotion,
  }
}

/**
 * Returns all bindings with the keys from the config; undefined if the config sets none. Reading the config has already
 * refused invalid keys.
 */
async function boundKeys(keys: Overrides): Promise<readonly Bindings[] | undefined> {
  if (Object.keys(keys).length === 0) return undefined
  const [{ applyOverrides }, { allBindings }] = await Promise.all([
    import('../../tui/keymap/overrides.ts'),
    import('../../app/shell/all-bindings.ts'),
  ])
  return applyOverrides(allBindings, keys).bindings
}
