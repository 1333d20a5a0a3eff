import { Box } from 'ink'
import type { ReactNode } from 'react'
import { panesKeys } from '../component-keys.ts'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { SizeProvider, useSize } from '../size.tsx'
import { paneWidths } from './layout.ts'

export type PaneSpec<Id extends string> = {
  id: Id
  /** Share of the width beside its neighbours. */
  weight: number
  render: (focused: boolean) => ReactNode
}

function leftOf(widths: readonly number[], index: number): number {
  return widths.slice(0, index).reduce((sum, width) => sum + width, 0)
}

/** A group of panes of which one has focus; how many show depends on the width alone. */
export function Panes<Id extends string>(props: {
  panes: readonly PaneSpec<Id>[]
  focused: Id
  onFocus: (id: Id) => void
}) {
  const { panes, onFocus } = props
  const size = useSize()
  const focused = Math.max(
    0,
    panes.findIndex(pane => pane.id === props.focused),
  )
  const widths = paneWidths({ width: size.width, weights: panes.map(pane => pane.weight), focused })
  const step = (by: number): void => onFocus(panes[(focused + by + panes.length) % panes.length]!.id)
  useBindings(panesKeys, { next: () => step(1), previous: () => step(-1) })
  return (
    <Box width={size.width} height={size.height}>
      {panes.map((pane, index) =>
        widths[index] ? (
          <SizeProvider key={pane.id} width={widths[index]} height={size.height} left={leftOf(widths, index)}>
            {pane.render(index === focused)}
          </SizeProvider>
        ) : null,
      )}
    </Box>
  )
}
