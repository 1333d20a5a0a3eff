import { useEffect, useMemo, useRef } from 'react'
import type { EvalRun } from '../../api/contract/runs.ts'
import { UNKNOWN } from '../../app/theme/format.ts'
import type { Symbols } from '../../app/theme/theme.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { usePlace, useRouter } from '../../app/router/router-context.tsx'
import { DetailTabs } from '../../components/detail-tabs.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList } from '../../components/list/use-list.ts'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { useToasts } from '../../components/toasts.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { trialColumns, trialKey } from './columns.ts'
import type { RunTab } from './panes.ts'
import { byUrgency, runLook } from './status.ts'
import { RunSummary } from './summary.tsx'
import { TrialTrace } from './trace.tsx'
import { Trials } from './trials.tsx'
import { useMoreTrials, useRun } from './use-runs-data.ts'

/** One run, with its tabs. `onOpenTrial` tells how the chosen trial is opened from outside. */
export function RunPane(props: {
  projectId: string
  run: Pick<EvalRun, 'id' | 'runNumber'>
  tab: RunTab
  focused: boolean
  onOpenTrial: (open: (() => void) | undefined) => void
}) {
  const { projectId, run, onOpenTrial } = props
  const router = useRouter()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const data = useRun(projectId, run.id)
  const columns = useMemo(() => trialColumns(symbols), [symbols])
  const items = useMemo(() => byUrgency(data.trials), [data.trials])
  const list = useList({ items, keyOf: trialKey, columns, initialKey: params.iterationId })
  const chosen = useChosen(list)
  useMoreTrials(data.trialsQuery, useRestedIndex(list.selection))
  useEffect(() => {
    onOpenTrial(() => {
      const trial = list.choose()
      if (trial) router.replace({ tab: 'trace', iterationId: trial.id })
    })
    return () => onOpenTrial(undefined)
  })
  const focused = props.focused
  const title = `Run ${run.runNumber == null ? run.id : `#${run.runNumber}`}`
  const note = data.run.data && runNote(data.run.data, symbols)
  useEndNotice(data.run.data, data.run.live, title)
  return (
    <Pane title={title} focused={focused} {...(note !== undefined && { note })}>
      <DetailTabs
        current={props.tab}
        onChange={tab => router.replace({ tab })}
        tabs={[
          { id: 'summary', title: 'Summary', render: () => <RunSummary data={data} focused={focused} /> },
          {
            id: 'trials',
            title: `Trials ${list.total}`,
            render: () => <Trials data={data} list={list} focused={focused} />,
          },
          {
            id: 'trace',
            title: 'Trace',
            render: () => (
              <TrialTrace
                key={chosen?.id ?? ''}
                projectId={projectId}
                runId={run.id}
                trial={chosen}
                trials={data.trialsQuery}
                focused={focused}
              />
            ),
          },
        ]}
      />
    </Pane>
  )
}

/** `✗ failed 9/10`, so that every tab tells how the run stands. */
function runNote(run: EvalRun, symbols: Symbols): string {
  const look = runLook(run)
  const { passed, total } = run.summary ?? {}
  return `${symbols[look.symbol]} ${look.word}${total == null ? '' : ` ${passed ?? UNKNOWN}/${total}`}`
}

/** Says once how a run ended that was seen in flight. */
function useEndNotice(run: EvalRun | undefined, live: boolean, title: string): void {
  const toasts = useToasts()
  const sawLive = useRef(false)
  useEffect(() => {
    if (live) sawLive.current = true
    if (!run || live || !sawLive.current) return
    sawLive.current = false
    const look = runLook(run)
    const { passed, total } = run.summary ?? {}
    toasts.show(
      look.tone,
      `${title} ${look.word}${total == null ? '' : `: ${passed ?? UNKNOWN} of ${total} passed`}.`,
    )
  }, [run, live, title, toasts])
}
