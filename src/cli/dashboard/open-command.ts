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
 * Opens the dashboard, or prints the summary where there is no terminal; resolves to an exit code, or `undefined` while
 * the dashboard continues by itself.
 * @param commands what may stand where a place does, for whoever meant one of them
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
    // A question is asked below the shell's own lines, not in the picture.
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
      // An invalid place is invalid usage here too.
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
    // Naming a project means starting there.
    left: options.project === undefined ? left : undefined,
    commands,
  })
  const namesPlace = placeText !== undefined || options.project !== undefined
  if ((namesPlace ? locatorOf(place) : left) !== stored?.place) {
    // Another command line has since left another place, or the place now names another project.
    picture?.undo()
    picture = undefined
  }
  // From here on crash handlers restore the terminal first.
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
 * Where this command line's screen is kept, and where what is left is kept too for a plain start. Options show other
 * data or show it otherwise, as does a place that names its profile; any other place alone leaves what a plain start
 * comes back to.
 */
function screenFiles(namesPlaceHere: boolean): { file?: string; leftFile?: string } {
  const argv = process.argv.slice(2)
  return {
    file: lastScreenFile(process.env, argv),
    ...(namesPlaceHere && argv.length === 1 && { leftFile: lastScreenFile(process.env, []) }),
  }
}

/** Loads everything that renders. */
export function loadDashboard() {
  return Promise.all([
    import('./dashboard.tsx'),
    import('./opening-place.ts'),
    import('../../app/registry.ts').then(({ loadScreens }) => loadScreens()),
  ])
}

/**
 * What the terminal supports.
 * @throws UsageError if that is too little for a screen
 */
export function requireAbilities({ screenReader }: TtyConventions): Abilities {
  const abilities = abilitiesOf(process.env, true)
  if (abilities.dumb && !screenReader)
    throw new UsageError(
      `The terminal "${process.env.TERM ?? ''}" cannot move the cursor; pass --screen-reader for plain ` +
        'lines, or pipe the output to get a summary.',
    )
  return abilities
}

/** Look and keys according to the settings. */
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

/** All bindings with the keys of the config; undefined if it sets none. Invalid keys were refused when it was read. */
async function boundKeys(keys: Overrides): Promise<readonly Bindings[] | undefined> {
  if (Object.keys(keys).length === 0) return undefined
  const [{ applyOverrides }, { allBindings }] = await Promise.all([
    import('../../tui/keymap/overrides.ts'),
    import('../../app/shell/all-bindings.ts'),
  ])
  return applyOverrides(allBindings, keys).bindings
}
