import { unavailable } from '../../app/keymap/binding.ts'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { useRouter } from '../../app/router/router-context.tsx'
import { runsKeys } from './bindings.ts'
import { PANES, type PaneId, type RunTab } from './panes.ts'
import type { RunsLists } from './use-lists.ts'
import { useRunActions } from './use-run-actions.ts'

/** What the screen's keys do, given where the focus is. `openTrial` opens the trial that is chosen in the run's pane. */
export function useKeys(options: {
  projectId: string
  lists: RunsLists
  focused: PaneId
  tab: RunTab
  openTrial: () => void
}): void {
  const { lists, focused, tab } = options
  const { suite, suiteList, run, runList } = lists
  const router = useRouter()
  const actions = useRunActions(options.projectId, runId => {
    runList.selection.select(runId)
    router.replace({
      suiteId: suiteList.choose()?.id,
      runId,
      pane: 'run',
      tab: 'trials',
      iterationId: undefined,
    })
  })
  const open: Record<PaneId, () => void> = {
    suites: () => router.replace({ suiteId: suiteList.choose()?.id, runId: undefined, pane: 'runs' }),
    runs: () =>
      router.replace({
        suiteId: suiteList.choose()?.id,
        runId: runList.choose()?.id,
        pane: 'run',
        iterationId: undefined,
      }),
    run: () => {
      if (tab === 'summary') router.replace({ tab: 'trials' })
      else if (tab === 'trials') options.openTrial()
    },
  }
  const back = (): void => {
    if (focused === 'run' && tab === 'trace') router.replace({ tab: 'trials' })
    else if (focused === 'suites') router.back()
    else router.replace({ pane: PANES[PANES.indexOf(focused) - 1], runId: undefined })
  }
  const canCancel = run !== undefined && actions.canCancel(run)
  useBindings(runsKeys, {
    open:
      focused === 'run' && tab === 'trace'
        ? unavailable('The trial is open; there is nothing further in it.')
        : open[focused],
    back,
    launch: suite
      ? () => actions.launch(suiteList.choose() ?? suite)
      : unavailable('There is no suite to launch.'),
    rerun: run ? () => actions.rerun(runList.choose() ?? run) : unavailable('There is no run to rerun.'),
    cancel: canCancel
      ? () => actions.cancel(runList.choose() ?? run)
      : unavailable('No run that is in flight is chosen.'),
  })
}
