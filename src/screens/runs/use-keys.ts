import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { runsKeys } from './bindings.ts'
import { useFollowToggle } from './follow/use-follow.ts'
import { PANES, type Middle, type PaneId, type RunTab } from './route.ts'
import { useRerun } from './rerun/use-rerun.ts'
import { useRunDate } from './use-run-date.ts'
import { useToolDoctor } from './tools/doctor.tsx'
import type { SuiteCases } from './suite-parts.ts'
import type { RunsLists } from './use-lists.ts'
import { isTerminalRunStatus, type EvalRun, runName } from '../../api/contract/runs.ts'
import { useCancelRun } from '../../components/records/use-cancel-run.ts'
import { noRow } from '../../components/list/use-list.ts'
import { useWatch } from './watch/use-watch.ts'
import { useLaunch } from './launch/use-launch.tsx'
import { useQueryClient } from '@tanstack/react-query'
import { hasEnded, takeEnded } from './rerun/ended-reruns.ts'

/** Handles the screen's keys for the current focus. `openTrial` opens the selected trial in the run's pane. */
export function useKeys(options: {
  projectId: string
  lists: RunsLists
  cases: SuiteCases
  middle: Middle
  focused: PaneId
  tab: RunTab
  openTrial: () => void
}): void {
  const { lists, cases, middle, focused, tab } = options
  const { suite, suiteList, run, runList } = lists
  // Before the lists are read, a key typed ahead opens their future first row.
  const mayHave = { suite: suite ?? !lists.suites.items, run: run ?? !lists.runs.items }
  const router = useRouter()
  const openLaunched = (runId: string, base?: string): void => {
    runList.selection.select(runId)
    router.replace({
      suiteId: suiteList.choose()?.id,
      runId,
      base,
      middle: undefined,
      pane: 'run',
      tab: 'trials',
      iterationId: undefined,
    })
  }
  const actions = useRunActions(options.projectId, openLaunched)
  const rerun = useRerun(options.projectId, openLaunched)
  const compare = useComparing(options.projectId, lists)
  const goToDate = useRunDate(lists)
  const openDoctor = useToolDoctor(options.projectId)
  const openRun = (): void =>
    router.replace({
      suiteId: suiteList.choose()?.id,
      runId: runList.choose()?.id,
      base: undefined,
      pane: 'run',
      iterationId: undefined,
    })
  const open: Record<PaneId, KeyHandler | Unavailable> = {
    suites: mayHave.suite
      ? () => router.replace({ suiteId: suiteList.choose()?.id, runId: undefined, pane: 'runs' })
      : noRow(suiteList, 'suite'),
    runs: openMiddle(middle, cases, router) ?? (mayHave.run ? openRun : noRow(runList, 'run')),
    run:
      middle === 'cases'
        ? unavailable('The case is open; there is nothing further in it.')
        : mayHave.run
          ? options.openTrial
          : noRow(runList, 'run'),
  }
  const back = (): void => {
    if (focused === 'run' && tab === 'trial') router.replace({ tab: 'trials' })
    else if (focused !== 'suites') router.replace({ pane: PANES[PANES.indexOf(focused) - 1], runId: undefined })
  }
  const follow = useFollowToggle(options.projectId)
  const watch = useWatch(options.projectId)
  const markedCases = (): string[] => (middle === 'cases' ? cases.list.marked().map(({ id }) => id) : [])
  const canCancel = run !== undefined && actions.canCancel(run)
  useBindings(runsKeys, {
    open:
      focused === 'run' && tab === 'trial'
        ? unavailable('The trial is open; there is nothing further in it.')
        : open[focused],
    back,
    launch: suite ? () => actions.launch(suiteList.choose() ?? suite, markedCases()) : noRow(suiteList, 'suite'),
    rerun: run ? () => rerun(runList.choose() ?? run) : noRow(runList, 'run'),
    follow: run ? () => follow(runList.choose() ?? run) : noRow(runList, 'run'),
    watch: suite ? () => watch(suiteList.choose() ?? suite) : noRow(suiteList, 'suite'),
    cancel: canCancel
      ? () => actions.cancel(runList.choose() ?? run)
      : unavailable('No run that is in flight is chosen.'),
    compare,
    date: middle === 'runs' ? goToDate : unavailable('Only runs have dates.'),
    doctor: run ? () => openDoctor(runList.choose() ?? run) : noRow(runList, 'run'),
  })
}

/** Returns what opening does in the other views of a suite; undefined in its runs. */
function openMiddle(
  middle: Middle,
  cases: SuiteCases,
  router: ReturnType<typeof useRouter>,
): KeyHandler | Unavailable | undefined {
  if (middle === 'settings') return unavailable('The settings are all here; they can be edited.')
  if (middle === 'runs') return undefined
  return cases.chosen
    ? () => router.replace({ caseId: cases.list.choose()?.id, pane: 'run' })
    : noRow(cases.list, 'case')
}

/** Returns the actions launch and cancel: each shows its effect, asks, acts once, and reports the result. */
function useRunActions(projectId: string, onLaunched: (runId: string) => void) {
  const cancelRun = useCancelRun(projectId)
  const launch = useLaunch(projectId, onLaunched)
  return {
    launch,
    cancel: (run: EvalRun) => cancelRun(run.id, runName(run)),
    canCancel: (run: EvalRun) => !isTerminalRunStatus(run.status),
  }
}

/**
 * Opens a comparison. If a rerun ended while the person was elsewhere, it is compared; otherwise the selected run, with
 * the marked run if exactly one other run is marked.
 */
function useComparing(projectId: string, lists: RunsLists): (() => void) | Unavailable {
  const router = useRouter()
  const queryClient = useQueryClient()
  const { run, runList, suiteList } = lists
  const show = (place: { suiteId: string | undefined; runId: string; base: string | undefined }): void => {
    if (place.suiteId !== undefined) suiteList.selection.select(place.suiteId)
    runList.selection.select(place.runId)
    router.replace({ ...place, middle: undefined, pane: 'run', tab: 'compare', iterationId: undefined })
  }
  const compare = (): void => {
    const ended = takeEnded(queryClient, projectId)
    if (ended) return show({ suiteId: ended.suiteId, runId: ended.runId, base: ended.parentId })
    const chosen = runList.choose()
    if (!chosen) return
    const others = runList.marked().filter(({ id }) => id !== chosen.id)
    show({ suiteId: suiteList.choose()?.id, runId: chosen.id, base: others.length === 1 ? others[0]?.id : undefined })
  }
  return run || hasEnded(queryClient, projectId) ? compare : noRow(runList, 'run')
}
