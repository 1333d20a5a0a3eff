import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Terminal } from '../../test/pty/terminal.ts'
import { dist, root } from '../paths.ts'
import type { Target } from './target.ts'
import { failsEvery, iterations, type PreparedWorkspace, type PreparedWorkspaces } from './workspaces.ts'

/** A build of the program to measure: its folder, and the suffix of its name in the table. */
export type Build = { label: string; dist: string }

/** Returns a copy of the built program, so that a build during the measurement does not change it. */
export function copyBuild(): Build & Disposable {
  // The copy is inside the repository, so that it finds its server through package.json and its packages below
  // node_modules.
  const folder = mkdtempSync(join(root, 'node_modules/.mcpdeck-bench-'))
  cpSync(dist, join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  return {
    label: '',
    dist: join(folder, 'dist'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Name of the long list in the tables. */
export const LONG = '10,000 rows'
export const SHORT = '20 rows'
export const NAMED = '20 rows of a named place'

/** Returns the dashboard on a run of 10,000 trials. */
export function longList(build: Build, { large }: PreparedWorkspaces): Target {
  return trials(LONG, build, large)
}

/** Returns the dashboard on a run of 20 trials. */
export function shortList(build: Build, { small }: PreparedWorkspaces): Target {
  return trials(SHORT, build, small)
}

/**
 * Returns the dashboard on a run of 20 trials that the command line names, instead of one restored from the last
 * session.
 */
export function namedList(build: Build, { small }: PreparedWorkspaces): Target {
  return { ...trials(NAMED, build, small), args: startOn(build, small).args, before: [] }
}

/**
 * Returns the arguments that start a build on a prepared workspace, and the function that copies its data into a fresh
 * home.
 */
export function startOn(build: Build, workspace: PreparedWorkspace) {
  return {
    command: process.execPath,
    args: [join(build.dist, 'boot.js'), workspace.place],
    prepare: (home: string) => cpSync(workspace.dataDir, dataOf(home), { recursive: true }),
  }
}

/** Returns the folder of the local workspace of a home. */
export function dataOf(home: string): string {
  return join(home, '.local/share/mcpdeck')
}

/** Returns the name in the tables. */
export function nameOf(build: Build, what: string): string {
  return `mcpdeck${build.label}, ${what}`
}

function trials(what: string, build: Build, workspace: PreparedWorkspace): Target {
  const rows = workspace.cases * iterations
  return {
    name: nameOf(build, what),
    ...startOn(build, workspace),
    args: [join(build.dist, 'boot.js')],
    before: [workspace.place],
    painted: terminal => terminal.screen().includes('Projects'),
    toList: terminal => terminal.waitFor(selectedTrial),
    loaded: terminal => terminal.waitFor(trialsTab(rows), 60_000),
    rows,
    position: terminal => positionIn(terminal, workspace.cases),
    // V8 frees memory for some seconds after its last work.
    calm: 10_000,
    next: 'down',
    previous: 'up',
    page: 'pagedown',
    quit: terminal => terminal.type('q'),
  }
}

/** Matches the tab of the trials once there are this many. */
export function trialsTab(count: number): RegExp {
  return new RegExp(String.raw`Trials ${count.toLocaleString('en').replaceAll(',', ',?')}\]`)
}

/** Matches the selected row of the trials: the number of the case, then that of the trial. */
const selectedTrial = /▌. (?:passed|failed) +Echo answers greeting (\d+) +(\d+)/

/** Returns the position of the selected trial in the list, which shows failed cases first. */
function positionIn(terminal: Terminal, cases: number): number | undefined {
  const found = selectedTrial.exec(terminal.screen())
  if (!found) return undefined
  const [number, trial] = [Number(found[1]), Number(found[2])]
  const failedBefore = Math.floor((number - 1) / failsEvery)
  const casesBefore =
    number % failsEvery === 0 ? failedBefore : Math.floor(cases / failsEvery) + (number - 1 - failedBefore)
  return casesBefore * iterations + trial
}
