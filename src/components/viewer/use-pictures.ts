import { useMemo, useSyncExternalStore } from 'react'
import { createGraphics, type Graphics, type PictureScreen } from '../../tui/picture/graphics.ts'
import { useRegions } from '../list/regions.tsx'
import type { PictureLook } from './look.ts'

const ofScreens = new WeakMap<PictureScreen, Graphics>()
const never = (): (() => void) => () => {}
const zero = (): number => 0

function graphicsOf(screen: PictureScreen): Graphics {
  const known = ofScreens.get(screen) ?? createGraphics(screen)
  ofScreens.set(screen, known)
  return known
}

/** How pictures are drawn here, of at most so many rows; another one once the terminal said what it draws. */
export function usePictures(rows: number): PictureLook {
  const screen = useRegions()
  const graphics = screen && graphicsOf(screen)
  const version = useSyncExternalStore(graphics?.subscribe ?? never, graphics?.version ?? zero)
  // oxlint-disable-next-line react-hooks/exhaustive-deps -- what the terminal draws changes without another object
  return useMemo(() => ({ rows: Math.max(1, rows), graphics }), [rows, graphics, version])
}
