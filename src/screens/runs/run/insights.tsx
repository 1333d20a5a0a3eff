import { useMemo } from 'react'
import { useBindings, useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { MarkdownViewer } from '../../../components/markdown/markdown-viewer.tsx'
import { PaneState } from '../../../components/pane-state.tsx'
import { insightsKeys } from '../bindings.ts'
import type { RunData } from '../use-runs-data.ts'
import { insightsText } from './insights-text.ts'
import { useAnalysisRequests } from './use-analyses.ts'

/** What a model found in the run, and how its judges graded it. */
export function RunInsights(props: { projectId: string; data: RunData; focused: boolean }) {
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
