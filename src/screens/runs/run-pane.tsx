import { useEffect, useRef, useMemo } from 'react'
import { type EvalRun, runNumberOf } from '../../api/contract/runs.ts'
import { runCounts } from '../../domain/runs/counts.ts'
import { partLabels, reportRun } from '../../domain/runs/suite-state.ts'
import { formatCount, UNKNOWN } from '../../lib/format.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useRouter } from '../../tui/router/router-context.tsx'
import { lookCell } from '../../components/collection/plain-parts.ts'
import { DetailTabs } from '../../components/detail-tabs.tsx'
import { BelowNotices } from '../../components/below-notices.tsx'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useToasts } from '../../components/toasts.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Compare } from './compare/compare.tsx'
import { passedOfGraded } from './covered.ts'
import { useLetGoWhenSeen } from './follow/use-follow.ts'
import type { RunTab } from './route.ts'
import { passedWords, runLook } from '../../components/records/run-look.ts'
import { RunDiagnostics } from './run/diagnostics.tsx'
import { RunSummary } from './run/summary.tsx'
import { useAnalysesWatch, useAnalysisRequests } from './run/use-analyses.ts'
import { TrialTab } from './trial/trial.tsx'
import { TrialsTab } from './trial/trials.tsx'
import { useTrials, type Trials } from './trial/use-trials.ts'
import { useRun, type RunData } from './use-runs-data.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { MarkdownViewer } from '../../components/markdown/markdown-viewer.tsx'
import { PaneState } from '../../components/pane-state.tsx'
import { insightsKeys } from './bindings.ts'
import { insightsText } from './run/insights-text.ts'
import type { Cause } from '../../domain/runs/causes.ts'

/** Shows a run with its tabs. `onOpenTrial` receives a function that opens the selected trial. */
export function RunPane(props: {
  projectId: string
  run: Pick<EvalRun, 'id' | 'runNumber'>
  tab: RunTab
  focused: boolean
  onOpenTrial: (open: (() => void) | undefined) => void
}) {
  const { projectId, run, onOpenTrial } = props
  const router = useRouter()
  const notices = useOpenWriteNotices({ ids: { runId: run.id } })
  const { symbols } = useTheme()
  const data = useRun(projectId, run.id)
  const trials = useTrials(data)
  const open = useRef<() => void>(undefined)
  useEffect(() => {
    onOpenTrial(() => (props.tab === 'trials' ? trials.open() : open.current?.()))
    return () => onOpenTrial(undefined)
  })
  const links = useTrialLinks(data, trials)
  useAnalysesWatch(projectId, run.id)
  const focused = props.focused
  const shown = { projectId, data, focused }
  const title = `Run ${runNumberOf(run)}`
  const note = data.run.isGone ? `${symbols.warn} gone` : data.run.data && runNote(data.run.data, symbols)
  const state = data.run.isGone || !data.run.data ? undefined : lookCell(symbols, runLook(data.run.data))
  useEndNotice(data.run.data, data.run.live, title)
  useLetGoWhenSeen(data.run.data)
  return (
    <Pane title={title} state={state} focused={focused} {...(note !== undefined && { note })}>
      <BelowNotices notices={notices}>
        <DetailTabs
          current={props.tab}
          onChange={tab => router.replace({ tab, ...(tab === 'trial' && { iterationId: trials.chosen?.id }) })}
          tabs={[
            {
              id: 'summary',
              title: 'Summary',
              render: () => <RunSummary {...shown} open={open} onOpenTrials={links.openCause} />,
            },
            {
              id: 'trials',
              title: `Trials ${formatCount(trials.list.total)}`,
              render: () => <TrialsTab data={data} trials={trials} focused={focused} />,
            },
            {
              id: 'trial',
              title: 'Trial',
              render: () => (
                <TrialTab projectId={projectId} runId={run.id} data={data} trials={trials} focused={focused} />
              ),
            },
            {
              id: 'diagnostics',
              title: 'Diagnostics',
              render: () => <RunDiagnostics {...shown} open={open} onOpenTrial={links.openTrial} />,
            },
            {
              id: 'compare',
              title: 'Compare',
              render: () => (
                <Compare
                  projectId={projectId}
                  run={data.run.data}
                  trials={data.trials}
                  focused={focused}
                  onOpenTrial={links.openTrial}
                />
              ),
            },
            { id: 'insights', title: 'Insights', render: () => <RunInsights {...shown} /> },
          ]}
        />
      </BelowNotices>
    </Pane>
  )
}

/** Shows the summary of the chosen run, below the list of runs; its own pane has the actions. */
export function RunBelow({ projectId, run }: { projectId: string; run: { id: string } }) {
  const data = useRun(projectId, run.id)
  const open = useRef<() => void>(undefined)
  return <RunSummary projectId={projectId} data={data} focused={false} open={open} onOpenTrials={() => undefined} />
}

/** Returns `✗ failed, 9/10 trials passed`, so that every tab shows the state of the run. */
function runNote(run: EvalRun, symbols: Symbols): string {
  const counts = runCounts(run)
  const graded = counts ? passedOfGraded(counts) : UNKNOWN
  const passed = graded === UNKNOWN ? '' : [graded, counts?.unit, 'passed'].filter(Boolean).join(' ')
  return [lookCell(symbols, runLook(run)).text, passed, ...partLabels(reportRun(run))].filter(Boolean).join(', ')
}

/** Announces once how a run ended that was seen in flight. */
function useEndNotice(run: EvalRun | undefined, live: boolean, title: string): void {
  const toasts = useToasts()
  const sawLive = useRef(false)
  useEffect(() => {
    if (live) sawLive.current = true
    if (!run || live || !sawLive.current) return
    sawLive.current = false
    const look = runLook(run)
    toasts.show(look.tone, `${[`${title} ${look.word}`, passedWords(run)].filter(Boolean).join(': ')}.`)
  }, [run, live, title, toasts])
}

/** Shows a model's findings in the run, and the grades of its judges. */
function RunInsights(props: { projectId: string; data: RunData; focused: boolean }) {
  const { focused } = props
  const run = props.data.run.data
  const key = useKeyName()
  const keys = { insights: key(insightsKeys, 'insights'), judge: key(insightsKeys, 'judge') }
  useBindings(insightsKeys, useAnalysisRequests(props.projectId, run), { active: focused })
  const text = useMemo(
    () => (run ? insightsText(run, { insights: keys.insights, judge: keys.judge }) : ''),
    [run, keys.insights, keys.judge],
  )
  return (
    <PaneState data={props.data.run} loading="Reading the run…">
      <MarkdownViewer text={text} focused={focused} />
    </PaneState>
  )
}

/** Returns functions that lead from statements about a run to its trials. */
function useTrialLinks(data: RunData, { list }: Trials) {
  const router = useRouter()
  const toasts = useToasts()
  return {
    /** Opens the trials of one cause, or all of them. */
    openCause(cause: Cause | undefined): void {
      list.setFilter(cause === undefined ? '' : `cause:${cause}`)
      router.replace({ tab: 'trials', rows: undefined })
    },
    openTrial(iterationId: string): void {
      list.setFilter('')
      if (!data.trials.some(({ id }) => id === iterationId)) {
        toasts.show('warn', 'That trial has not been read yet; scroll down the list to read more.')
        router.replace({ tab: 'trials', rows: undefined })
        return
      }
      list.selection.select(iterationId)
      router.replace({ tab: 'trial', iterationId, rows: undefined })
    },
  }
}
