import { useEffect, useId, useLayoutEffect, useRef, useSyncExternalStore } from 'react'
import type { Rectangle, Region } from '../../tui/terminal/region.ts'
import { useOverlays } from '../overlays.tsx'
import { useRegions } from '../regions.tsx'
import type { Selection } from './selection.ts'

/**
 * Paints a list's rows at once when the selection moves, before React renders. Ink's own rows are below and follow a
 * moment later, so the region only shows what they are about to show.
 */
export function useFastRows(options: {
  selection: Selection
  rectangle: Rectangle
  /** Returns the visible rows in their current state. */
  compose: () => string[]
  enabled: boolean
}): void {
  const regions = useRegions()
  const overlays = useOverlays()
  const covered = useSyncExternalStore(overlays.subscribe, () => overlays.entries().length > 0)
  const id = useId()
  const region = useRef<Region>(undefined)
  const latest = useRef(options)
  useLayoutEffect(() => {
    latest.current = options
    if (!region.current) return
    if (covered) return region.current.hide()
    regions?.region(id, options.rectangle)
    region.current.paint(options.compose())
  })
  const enabled = options.enabled && regions !== undefined && !covered
  const { selection } = options
  useEffect(() => {
    if (!enabled) return undefined
    let scheduled = false
    return selection.subscribe(() => {
      if (scheduled) return
      scheduled = true
      queueMicrotask(() => {
        scheduled = false
        region.current = regions.region(id, latest.current.rectangle)
        region.current.paint(latest.current.compose())
      })
    })
  }, [enabled, selection, regions, id])
  useEffect(() => overlays.subscribe(() => overlays.entries().length > 0 && region.current?.hide()), [overlays])
  useEffect(
    () => () => {
      region.current?.close()
      region.current = undefined
    },
    [id],
  )
}
