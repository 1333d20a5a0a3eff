import { Text } from 'ink'
import { useMemo } from 'react'
import type { EvalRun } from '../../../api/contract/runs.ts'
import { useBindings } from '../../../tui/keymap/use-bindings.ts'
import { clean, truncate } from '../../../tui/theme/text.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { List } from '../../../components/list/list.tsx'
import { useList } from '../../../components/list/use-list.ts'
import { useOverlays } from '../../../components/overlays.tsx'
import { SizeProvider, useSize } from '../../../components/size.tsx'
import { baseKeys } from '../bindings.ts'
import { runColumns, runKey } from '../columns.ts'

const WIDTH = 76
const FRAME_ROWS = 5

/** Lets a person choose the run to compare with, or leave the choice to the service. */
export function useBaseDialog(): (question: {
  runs: readonly EvalRun[]
  current: string | undefined
  /** Receives the chosen run's id; undefined leaves the choice to the service. */
  onChoose: (runId: string | undefined) => void
}) => void {
  const overlays = useOverlays()
  return ({ runs, current, onChoose }) => {
    overlays.open({
      title: 'Compare with',
      width: WIDTH,
      height: runs.length + FRAME_ROWS,
      content: close => (
        <BaseChoice
          runs={runs}
          current={current}
          onClose={close}
          onChoose={runId => {
            close()
            onChoose(runId)
          }}
        />
      ),
    })
  }
}

function BaseChoice(props: {
  runs: readonly EvalRun[]
  current: string | undefined
  onChoose: (runId: string | undefined) => void
  onClose: () => void
}) {
  const theme = useTheme()
  const { width, height } = useSize()
  const columns = useMemo(() => runColumns(theme.symbols), [theme])
  const list = useList({ items: props.runs, keyOf: runKey, columns, initialKey: props.current })
  useBindings(baseKeys, {
    choose: () => {
      const run = list.choose()
      if (run) props.onChoose(run.id)
    },
    service: () => props.onChoose(undefined),
    close: props.onClose,
  })
  const words = 'Other runs of the suite; by default the previous completed one.'
  return (
    <>
      <Text wrap="truncate">{` ${theme.paint('muted', truncate(clean(words), width - 2))}`}</Text>
      <SizeProvider width={width} height={Math.max(1, height - 1)} top={1}>
        <List list={list} focused empty="The suite has no other run." />
      </SizeProvider>
    </>
  )
}
