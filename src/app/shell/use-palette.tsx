import { useQueryClient } from '@tanstack/react-query'
import { useOverlays } from '../../components/overlays.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useKeymap } from '../../tui/keymap/keymap-context.tsx'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import { useFollowedPlaces } from '../../screens/runs/follow/use-follow.ts'
import type { LoadedScreen } from '../registry.ts'
import type { Place } from '../../tui/router/place.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import {
  actionEntries,
  actionsHere,
  locatorEntry,
  namedEntries,
  screenEntries,
  type PaletteEntry,
} from './palette-entries.ts'
import { Palette } from './palette.tsx'

type Locate = (text: string) => PaletteEntry | undefined

const WIDTH = 90

/**
 * Opens the palette over what works and what is known at this moment; `actions` opens it over what can be done with
 * the chosen thing alone.
 */
export function usePalette(
  screens: readonly LoadedScreen[],
  projectId: () => string | undefined,
): { palette: () => void; actions: () => void } {
  const overlays = useOverlays()
  const router = useRouter()
  const queryClient = useQueryClient()
  const { dispatcher } = useKeymap()
  const { profile } = useWorkspace()
  const toasts = useToasts()
  const followed = useFollowedPlaces()
  const open = (title: string, entries: readonly PaletteEntry[], locate: Locate): void => {
    const close = overlays.open({
      title,
      size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
      content: <Palette entries={entries} locate={locate} onClose={() => close()} />,
    })
  }
  const perform = (binding: ActiveBinding): void => void dispatcher.perform(binding)
  const actions = (): void =>
    open('What can be done here', actionEntries(actionsHere(dispatcher.active()), perform), () => undefined)
  const palette = (): void => {
    const go = (place: Place): void => router.go(place)
    const refuse = (why: string): void => toasts.show('warn', why)
    const routes = screens.map(screen => screen.route)
    const places = screens.map(({ title, route, order, goKey }, index) => ({
      title,
      place: route.to({ projectId: projectId() }),
      key: order === undefined ? `, ${goKey}` : String(index + 1),
    }))
    const named = screens.flatMap(screen => screen.named?.(queryClient) ?? [])
    const entries = [
      ...screenEntries(places, go),
      ...namedEntries([...followed(), ...named], go),
      ...actionEntries(dispatcher.active(), perform),
    ]
    open('Go or do', entries, text => locatorEntry(routes, text.trim(), profile, { go, refuse }))
  }
  return { palette, actions }
}
