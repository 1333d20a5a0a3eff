import { useQueryClient } from '@tanstack/react-query'
import { useOverlays } from '../../components/overlays.tsx'
import { useKeymap } from '../keymap/keymap-context.tsx'
import { screens } from '../registry.ts'
import { parsePlace, type Place } from '../router/place.ts'
import { useRouter } from '../router/router-context.tsx'
import { actionEntries, namedEntries, screenEntries, type PaletteEntry } from './palette-entries.ts'
import { Palette } from './palette.tsx'

const WIDTH = 90
const routes = screens.map(screen => screen.route)

/** Opens the palette over what works and what is known at this moment. */
export function usePalette(projectId: () => string | undefined): () => void {
  const overlays = useOverlays()
  const router = useRouter()
  const queryClient = useQueryClient()
  const { dispatcher } = useKeymap()
  return () => {
    const go = (place: Place): void => router.go(place)
    const places = screens.map(({ title, route }) => ({ title, place: route.to({ projectId: projectId() }) }))
    const named = screens.flatMap(screen => screen.named?.(queryClient) ?? [])
    const entries = [
      ...screenEntries(places, go),
      ...namedEntries(named, go),
      ...actionEntries(dispatcher.active(), binding => void dispatcher.perform(binding)),
    ]
    const locate = (text: string): PaletteEntry | undefined => {
      const place = text.includes('/') ? parsePlace(routes, text.trim()) : undefined
      return (
        place && { id: 'locator', text: `Open ${text.trim()}`, detail: 'locator', choose: () => go(place) }
      )
    }
    const close = overlays.open({
      title: 'Go or do',
      size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
      content: <Palette entries={entries} locate={locate} onClose={() => close()} />,
    })
  }
}
