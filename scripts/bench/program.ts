import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Terminal } from '../../test/pty/terminal.ts'
import { dist, root } from '../paths.ts'
import type { Target } from './target.ts'
import { failsEvery, iterations, type PreparedWorkspace, type PreparedWorkspaces } from './workspaces.ts'

/** A build of the program to measure: its folder, and what stands behind the name in the table. */
export type Build = { label: string; dist: string }

/** The built program, copied, so that a build meanwhile does not change what is measured. */
export function copyBuild(): Build & Disposable {
  // Its server is found by what package.json says, other packages below node_modules.
  const folder = mkdtempSync(join(root, 'node_modules/.mcpdeck-bench-'))
  cpSync(dist, join(folder, 'dist'), { recursive: true })
  cpSync(join(root, 'package.json'), join(folder, 'package.json'))
  return {
    label: '',
    dist: join(folder, 'dist'),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** What is measured, as the tables name it. */
export const LONG = '10,000 rows'
export const SHORT = '20 rows'
export const NAMED = '20 rows of a named place'

/** The dashboard on a run of 10,000 trials. */
export function longList(build: Build, { large }: PreparedWorkspaces): Target {
  return trials(LONG, build, large)
}

/** The dashboard on a run of 20 trials. */
export function shortList(build: Build, { small }: PreparedWorkspaces): Target {
  return trials(SHORT, build, small)
}

/** The same, with the run's place on the command line instead of being come back to. */
export function namedList(build: Build, { small }: PreparedWorkspaces): Target {
  return { ...trials(NAMED, build, small), args: startOn(build, small).args, before: [] }
}

/** The arguments that start a build on a prepared workspace, and how its data gets into a fresh home. */
export function startOn(build: Build, workspace: PreparedWorkspace) {
  return {
    command: process.execPath,
    args: [join(build.dist, 'boot.js'), workspace.place],
    prepare: (home: string) => cpSync(workspace.dataDir, dataOf(home), { recursive: true }),
  }
}

/** Where the local workspace of a home is. */
export function dataOf(home: string): string {
  return join(home, '.local/share/mcpdeck')
}

/** The name in the tables. */
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
    // V8 returns memory for some seconds after its last work.
    calm: 10_000,
    next: 'down',
    previous: 'up',
    page: 'pagedown',
    quit: terminal => terminal.type('q'),
  }
}

/** The tab of the trials once so many are there. */
export function trialsTab(count: number): RegExp {
  return new RegExp(String.raw`Trials ${count.toLocaleString('en').replaceAll(',', ',?')}\]`)
}

/** The selected row of the trials: the number of the case, then that of the trial. */
const selectedTrial = /▌. (?:passed|failed) +Echo answers greeting (\d+) +(\d+)/

/** Where the selected trial stands in the list, which shows failed cases first. */
function positionIn(terminal: Terminal, cases: number): number | undefined {
  const found = selectedTrial.exec(terminal.screen())
  if (!found) return undefined
  const [number, trial] = [Number(found[1]), Number(found[2])]
  const failedBefore = Math.floor((number - 1) / failsEvery)
  const casesBefore =
    number % failsEvery === 0 ? failedBefore : Math.floor(cases / failsEvery) + (number - 1 - failedBefore)
  return casesBefore * iterations + trial
}
