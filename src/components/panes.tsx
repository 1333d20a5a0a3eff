import { Boundary } from './boundary.tsx'
import { Box } from 'ink'
import { useState, type ReactNode } from 'react'
import { panesKeys } from './component-keys.ts'
import { unavailable, type PressedKey } from '../tui/keymap/binding.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { UnavailableAction } from '../tui/keymap/dispatcher.ts'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { MouseFocus } from './mouse-areas.tsx'
import { SizeProvider, useSize } from './size.tsx'
import { useIsCovered } from './overlays.tsx'
import { JointsProvider, jointsAt } from './panes/joints.ts'
import { groupArrangement, paneBoxes, type PaneShare } from './panes/layout.ts'
import { ZoomProvider } from './panes/zoom.ts'

export type PaneSpec<Id extends string> = PaneShare & { id: Id; render: (focused: boolean) => ReactNode }

/** Renders a pane as a separate component, so that its errors are caught around it. */
function Drawn(props: { pane: PaneSpec<string>; focused: boolean }): ReactNode {
  return props.pane.render(props.focused)
}

function titleOf(id: string): string {
  return id.charAt(0).toUpperCase() + id.slice(1)
}

/** Shows a group of panes of which one has the focus; how many are visible depends on the size and the zoom. */
export function Panes<Id extends string>(props: {
  panes: readonly PaneSpec<Id>[]
  focused: Id
  onFocus: (id: Id) => void
  isOfSentences?: boolean | undefined
}) {
  const { panes, onFocus, isOfSentences } = props
  const { width, height } = useSize()
  const { plain } = useTheme()
  const size = { width, height, neverBeside: plain, isOfSentences }
  const focused = Math.max(
    0,
    panes.findIndex(pane => pane.id === props.focused),
  )
  // A click must not move the pane away from under the mouse; keys show earlier panes again.
  const [first, holdFirst] = useState<number>()
  const [zoomed, setZoomed] = useState(false)
  const group = { ...size, panes, focused, first }
  const boxes = paneBoxes({ ...group, zoomed })
  const step = (by: number): void => {
    holdFirst(undefined)
    onFocus(panes[(focused + by + panes.length) % panes.length]!.id)
  }
  const pick = (id: Id): void => {
    if (id === panes[focused]?.id) return
    holdFirst(boxes.findIndex(box => box !== undefined))
    onFocus(id)
  }
  const jump = (key: PressedKey): void => {
    const pane = panes[Number(key.name.at(-1)) - 1]
    if (!pane) throw new UnavailableAction(`There are ${panes.length} panes here.`)
    holdFirst(undefined)
    onFocus(pane.id)
  }
  // A screen reader would read the returning mark instead of the selected row.
  const covered = useIsCovered() && !plain
  const shown = panes.flatMap((_, index) => (boxes[index] ? [{ index, focused: index === focused && !covered }] : []))
  const stacked = groupArrangement({ ...group, zoomed }) === 'stacked'
  const alone = !zoomed && groupArrangement(group) === 'one'
  const only = panes.length === 1 ? unavailable('There is one pane here.') : undefined
  useBindings(panesKeys, {
    next: only ?? (() => step(1)),
    previous: only ?? (() => step(-1)),
    jump,
    zoom: alone ? unavailable('The pane already has the whole screen.') : () => setZoomed(!zoomed),
  })
  return (
    <ZoomProvider value={zoomed && !alone}>
      <Box flexDirection={stacked ? 'column' : 'row'} width={width} height={height}>
        {panes.map((pane, index) => {
          const box = boxes[index]
          return (
            box && (
              <SizeProvider key={pane.id} {...box}>
                <MouseFocus onFocus={() => pick(pane.id)}>
                  <JointsProvider
                    value={{
                      covered,
                      ...jointsAt(
                        shown,
                        shown.findIndex(beside => beside.index === index),
                        stacked,
                      ),
                    }}
                  >
                    <Boundary title={titleOf(pane.id)} focused={index === focused}>
                      <Drawn pane={pane} focused={index === focused} />
                    </Boundary>
                  </JointsProvider>
                </MouseFocus>
              </SizeProvider>
            )
          )
        })}
      </Box>
    </ZoomProvider>
  )
}
