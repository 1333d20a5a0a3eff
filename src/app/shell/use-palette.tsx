import { useQueryClient } from '@tanstack/react-query'
import { useOverlays } from '../../components/overlays.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useKeymap } from '../../tui/keymap/keymap-context.tsx'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { useFollowedPlaces } from '../../screens/runs/follow/use-follow.ts'
import { flyingPlaces, useFlyingWaves } from '../../screens/swarms/use-flying.ts'
import type { LoadedScreen } from '../registry.ts'
import type { Agent } from './agent/use-agent.tsx'
import type { Place } from '../../tui/router/place.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { fit, widthOf } from '../../tui/theme/text.ts'
import {
  actionEntries,
  actionsHere,
  locatorEntry,
  namedEntries,
  questionEntries,
  screenEntries,
  type PaletteEntry,
} from './palette-entries.ts'
import { Palette } from './palette.tsx'

type Locate = (text: string) => PaletteEntry | undefined

const WIDTH = 90

/**
 * Opens the palette over what works and what is known at this moment; `actions` opens it over what can be done with
 * the chosen thing alone, `screens` over all screens with what each is, `projects` over the projects that were read, of
 * which the chosen one becomes that of the screen.
 */
export function usePalette(
  screens: readonly LoadedScreen[],
  projectId: () => string | undefined,
  agent: Pick<Agent, 'ask' | 'about'>,
): Record<'palette' | 'actions' | 'screens' | 'projects', () => void> {
  const overlays = useOverlays()
  const router = useRouter()
  const queryClient = useQueryClient()
  const { dispatcher } = useKeymap()
  const { profile } = useWorkspace()
  const toasts = useToasts()
  const followed = useFollowedPlaces()
  const flying = flyingPlaces(useFlyingWaves())
  const open = (title: string, entries: readonly PaletteEntry[], locate: Locate): void => {
    overlays.open({
      title,
      width: WIDTH,
      content: close => <Palette entries={entries} locate={locate} onClose={close} />,
    })
  }
  const perform = (binding: ActiveBinding): void => void dispatcher.perform(binding)
  const questions = (): PaletteEntry[] => questionEntries(agent.about(), dispatcher.active(), agent.ask)
  const actions = (): void => {
    const here = actionEntries(actionsHere(dispatcher.active()), perform)
    open('What can be done here', [...here, ...questions()], () => undefined)
  }
  const go = (place: Place): void => router.go(place)
  const placesBy = (textOf: (screen: LoadedScreen) => string): PaletteEntry[] =>
    screenEntries(
      screens.map((screen, index) => ({
        text: textOf(screen),
        place: screen.route.to({ projectId: projectId() }),
        key: [screen.order !== undefined && String(index + 1), `, ${screen.goKey}`].filter(Boolean).join('  '),
      })),
      go,
    )
  const palette = (): void => {
    const refuse = (why: string): void => toasts.show('warn', why)
    const routes = screens.map(screen => screen.route)
    const named = screens.flatMap(screen => screen.named?.(queryClient) ?? [])
    const entries = [
      ...placesBy(({ title }) => `Go to ${title}`),
      ...namedEntries([...followed(), ...flying, ...named], go),
      ...actionEntries(dispatcher.active(), perform),
      ...questions(),
    ]
    open('Palette', entries, text => locatorEntry(routes, text.trim(), profile, { go, refuse }))
  }
  const overview = (): void => {
    const width = Math.max(...screens.map(({ title }) => widthOf(title))) + 2
    open(
      'All screens',
      placesBy(({ title, about }) => `${fit(title, width)}${about}`),
      () => undefined,
    )
  }
  const projects = (): void => {
    const { screen, params } = router.current()
    const here = params['projectId'] === undefined ? undefined : screens.find(({ route }) => route.screen === screen)
    const { to } = here?.route ?? projectsRoute
    const known = screens.find(({ route }) => route === projectsRoute)?.named?.(queryClient) ?? []
    const all = { id: 'projects', text: 'All projects', detail: 'screen', choose: () => go(projectsRoute.to()) }
    if (known.length === 0) return all.choose()
    const inProjects = known.map(project => ({ ...project, place: to({ projectId: project.id }) }))
    return open('Choose a project', [...namedEntries(inProjects, go), all], () => undefined)
  }
  return { palette, actions, screens: overview, projects }
}
