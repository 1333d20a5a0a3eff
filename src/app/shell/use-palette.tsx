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
import { fit, widthOf, truncate } from '../../tui/theme/text.ts'
import {
  actionEntries,
  actionsHere,
  locatorEntry,
  namedEntries,
  questionEntries,
  screenEntries,
  type PaletteEntry,
  rankEntries,
} from './palette-entries.ts'
import { Box, Text } from 'ink'
import { useMemo, useRef, useState } from 'react'
import { windowStart } from '../../components/list/selection.ts'
import { useMouseArea, WHEEL_ROWS } from '../../components/mouse-areas.tsx'
import { useSize } from '../../components/size.tsx'
import { TextField } from '../../components/text-field/text-field.tsx'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import { paletteKeys } from './app-keys.ts'

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

/** Rows above the results: the field and a rule. */
const HEAD = 2

/** Finds places, things and actions by a few letters. `locate` makes an entry of a pasted locator or address. */
export function Palette(props: {
  entries: readonly PaletteEntry[]
  locate: (text: string) => PaletteEntry | undefined
  onClose: () => void
}) {
  const theme = useTheme()
  const { width, height } = useSize()
  const [query, setQuery] = useState('')
  const [selected, setSelected] = useState(0)
  const shown = useMemo(() => {
    const located = props.locate(query)
    return [...(located ? [located] : []), ...rankEntries(props.entries, query)]
  }, [props, query])
  const index = Math.min(selected, Math.max(0, shown.length - 1))
  const rows = Math.max(1, height - HEAD)
  const last = Math.max(0, shown.length - 1)
  const move = (by: number): void => setSelected(now => Math.max(0, Math.min(last, Math.min(now, last) + by)))
  const choose = (chosen: number): void => {
    const entry = shown[chosen]
    if (!entry) return
    props.onClose()
    entry.choose()
  }
  useBindings(paletteKeys, {
    next: () => move(1),
    previous: () => move(-1),
    pageDown: () => move(rows - 1),
    pageUp: () => move(1 - rows),
  })
  const start = useRef(0)
  start.current = windowStart({ previous: start.current, selected: index, rows, count: shown.length })
  useMouseArea(
    { press: ({ row }) => choose(start.current + row), wheel: notches => move(notches * WHEEL_ROWS) },
    { top: HEAD, height: rows },
  )
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box paddingLeft={1} height={1}>
        <TextField
          value={query}
          onChange={text => {
            setQuery(text)
            setSelected(0)
          }}
          onSubmit={() => choose(index)}
          onCancel={props.onClose}
          width={width - 2}
          placeholder="a place, a name, an action, or a locator"
        />
      </Box>
      <Text>{theme.paint('border', theme.symbols.lines.horizontal.repeat(width))}</Text>
      {shown.length === 0 && <Text>{theme.paint('muted', ' Nothing fits.')}</Text>}
      {shown.slice(start.current, start.current + rows).map((entry, offset) => (
        <Text key={entry.id} wrap="truncate">
          {entryLine(theme, entry, { width, isSelected: start.current + offset === index })}
        </Text>
      ))}
    </Box>
  )
}

function entryLine(
  theme: Theme,
  entry: PaletteEntry,
  { width, isSelected }: { width: number; isSelected: boolean },
): string {
  const detail = truncate(entry.detail, Math.floor(width / 3))
  // The reason goes before what it would do: that is what is wanted then.
  const [name = ''] = entry.text.split(' · ')
  const text = entry.unavailable === undefined ? entry.text : `${name} (${entry.unavailable})`
  const pointer = isSelected ? theme.symbols.pointer : ' '
  const room = Math.max(0, width - widthOf(detail) - 3)
  const line = `${pointer}${fit(text, room)} `
  if (isSelected) return theme.paint('selected', `${line}${detail} `)
  return theme.paint(entry.unavailable === undefined ? 'plain' : 'muted', line) + theme.paint('key', detail)
}
