import { Text } from 'ink'
import { useEffect, useId } from 'react'
import { every } from '../lib/clock.ts'
import { useMotion } from '../tui/theme/motion-context.tsx'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { useRegions } from './regions.tsx'
import { useIsCovered } from './overlays.tsx'
import { useArea } from './size.tsx'

/** Milliseconds for which each frame is shown. */
const TURN_MS = 120

/**
 * Shows a one-column sign of work in progress. It is painted without Ink, since redrawing the whole screen for it would
 * cost more than most of the work it stands for. `left` is its column in the surrounding area.
 */
export function Spinner({ left }: { left: number }) {
  const theme = useTheme()
  const regions = useRegions()
  const { row, column } = useArea()
  const id = useId()
  const isCovered = useIsCovered()
  const turns = useMotion() && !isCovered
  useEffect(() => {
    const { spinner } = theme.symbols
    if (!regions || !turns || spinner.length === 0) return undefined
    const region = regions.region(id, { row, column: column + left, width: 1, height: 1 })
    let shown = 0
    const stop = every(TURN_MS, () => {
      region.paint([theme.paint('live', spinner[shown % spinner.length]!)])
      shown += 1
    })
    return () => {
      stop()
      region.close()
    }
  }, [regions, turns, theme, id, row, column, left])
  return <Text>{theme.paint('live', theme.symbols.live)}</Text>
}
