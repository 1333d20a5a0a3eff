import { Box } from 'ink'
import type { ReactNode } from 'react'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { Accompanied, type CompanionSpec } from '../../components/companion.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { ListContent, type ListContentProps } from '../../components/list/list-pane.tsx'
import { listCount, listNote } from '../../components/list/use-list.ts'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { TabLine } from '../../components/tab-line.tsx'
import { MIDDLES, type Middle } from '../runs/route.ts'
import { middleKeys } from './cases-keys.ts'

type MiddleProps = { current: Middle; focused: boolean; onChange: (middle: Middle) => void }

const TITLES: Record<Middle, string> = { runs: 'Runs', cases: 'Cases', settings: 'Settings', heat: 'Heat map' }

export function MiddleList<Row>(
  props: MiddleProps & ListContentProps<Row> & { below?: CompanionSpec & { of: object } },
) {
  const { list, data, below } = props
  const { symbols } = useTheme()
  useRestedIndex(list.selection)
  return (
    <MiddlePane {...props} count={data.hasData ? listCount(list) : undefined} note={listNote(list, symbols)}>
      <Accompanied of={below?.of ?? MiddleList} companion={below}>
        <ListContent {...props} />
      </Accompanied>
    </MiddlePane>
  )
}

/** The middle pane for the selected suite, under its tabs; it handles the keys of tabs while it has the focus. */
export function MiddlePane(
  props: MiddleProps & {
    /** Position and number of the rows, if there are rows. */
    count?: string | undefined
    note?: string | undefined
    children: ReactNode
  },
) {
  const { current, focused, count, note } = props
  return (
    <Pane
      title={TITLES[current]}
      focused={focused}
      {...(count !== undefined && { count })}
      {...(note !== undefined && { note })}
    >
      <MiddleTabs {...props} />
    </Pane>
  )
}

function MiddleTabs(props: MiddleProps & { children: ReactNode }) {
  const { width, height } = useSize()
  const at = MIDDLES.indexOf(props.current)
  const step = (by: number): void => props.onChange(MIDDLES[(at + by + MIDDLES.length) % MIDDLES.length]!)
  useBindings(middleKeys, { next: () => step(1), previous: () => step(-1) }, { active: props.focused })
  return (
    <Box flexDirection="column" width={width} height={height}>
      <TabLine
        titles={MIDDLES.map(middle => TITLES[middle])}
        current={at}
        onChoose={index => props.onChange(MIDDLES[index]!)}
      />
      <SizeProvider width={width} height={Math.max(1, height - 1)} top={1}>
        {props.children}
      </SizeProvider>
    </Box>
  )
}
