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
import { fit, segmentsOf, widthOf, truncate } from '../../tui/theme/text.ts'
import {
  actionEntries,
  actionsHere,
  commandEntries,
  locatorEntry,
  namedEntries,
  questionEntries,
  screenEntries,
  type FoundEntry,
  type PaletteEntry,
  rankEntries,
  titleOf,
} from './palette-entries.ts'
import { Box, Text } from 'ink'
import { useMemo, useRef, useState } from 'react'
import { windowStart } from '../../components/list/selection.ts'
import { useMouseArea, WHEEL_ROWS } from '../../components/mouse-areas.tsx'
import { useTakenRows } from '../../components/companion.tsx'
import { useSize } from '../../components/size.tsx'
import { TextField } from '../../components/text-field/text-field.tsx'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme, Tone } from '../../tui/theme/theme.ts'
import { paletteKeys } from './app-keys.ts'

type Locate = (text: string) => PaletteEntry | undefined

const WIDTH = 90

/**
 * Opens the palette over everything currently available; `actions` opens it with only the actions for the selected
 * item, `screens` with all screens and their descriptions, `projects` with the projects that were read, to switch the
 * screen's project. `themes` can be selected by name.
 */
export function usePalette(
  screens: readonly LoadedScreen[],
  projectId: () => string | undefined,
  agent: Pick<Agent, 'ask' | 'about'>,
  themes: readonly PaletteEntry[],
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
      height: 'content',
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
  const places = (lead?: string): PaletteEntry[] =>
    screenEntries(
      screens.map((screen, index) => ({
        ...screen,
        ...(lead !== undefined && { lead }),
        place: screen.route.to({ projectId: projectId() }),
        keys: [...(screen.order === undefined ? [] : [String(index + 1)]), `, ${screen.goKey}`],
      })),
      go,
    )
  /**
   * Returns the projects that were read, each to be opened in the current screen, or as a place if the screen has no
   * project.
   */
  const projectsHere = (): PaletteEntry[] => {
    const { screen, params } = router.current()
    const here = params['projectId'] === undefined ? undefined : screens.find(({ route }) => route.screen === screen)
    const { to } = here?.route ?? projectsRoute
    const known = screens.find(({ route }) => route === projectsRoute)?.named?.(queryClient) ?? []
    return namedEntries(
      known.map(project => ({ ...project, place: to({ projectId: project.id }) })),
      go,
    )
  }
  const palette = (): void => {
    const refuse = (why: string): void => toasts.show('warn', why)
    const routes = screens.map(screen => screen.route)
    const named = screens.flatMap(screen => screen.named?.(queryClient) ?? [])
    const entries = [
      ...places('Go to'),
      ...namedEntries([...followed(), ...flying, ...named], go),
      // The palette is open already.
      ...actionEntries(
        dispatcher.active().filter(({ name }) => name !== 'app.palette'),
        perform,
      ),
      ...questions(),
      ...commandEntries('project', projectsHere()),
      ...commandEntries('theme', themes),
    ]
    open('Palette', entries, text => locatorEntry(routes, text.trim(), profile, { go, refuse }))
  }
  const overview = (): void => open('All screens', places(), () => undefined)
  const projects = (): void => {
    const all = { id: 'projects', name: 'All projects', detail: 'screen', choose: () => go(projectsRoute.to()) }
    const known = projectsHere()
    if (known.length === 0) return all.choose()
    return open('Choose a project', [...known, all], () => undefined)
  }
  return { palette, actions, screens: overview, projects }
}

/** Rows above the results: the field and a rule. */
const HEAD = 2
/** Maximum number of visible results: typing another letter is faster than reading more. */
const MOST_ROWS = 20

/** Finds places, items and actions by a few letters. `locate` makes an entry of a pasted locator or address. */
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
    return [...(located ? rankEntries([located], '') : []), ...rankEntries(props.entries, query)]
  }, [props, query])
  const index = Math.min(selected, Math.max(0, shown.length - 1))
  useTakenRows(() => HEAD + Math.min(MOST_ROWS, Math.max(1, shown.length)))
  const rows = Math.max(1, height - HEAD)
  const last = Math.max(0, shown.length - 1)
  const move = (by: number): void => setSelected(now => Math.max(0, Math.min(last, Math.min(now, last) + by)))
  const choose = (chosen: number): void => {
    const found = shown[chosen]
    if (!found) return
    props.onClose()
    found.entry.choose()
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
      {shown.slice(start.current, start.current + rows).map((found, offset) => (
        <Text key={found.entry.id} wrap="truncate">
          {entryLine(theme, found, { width, isSelected: start.current + offset === index })}
        </Text>
      ))}
    </Box>
  )
}

function entryLine(
  theme: Theme,
  { entry, line, matched }: FoundEntry,
  { width, isSelected }: { width: number; isSelected: boolean },
): string {
  const detail = truncate(entry.detail, Math.floor(width / 3))
  const pointer = isSelected ? theme.symbols.pointer : ' '
  const text = fit(line, Math.max(0, width - widthOf(detail) - 3))
  if (isSelected && !theme.tintsRows) return theme.paint('selected', `${pointer}${text} ${detail} `)
  const titled = entry.unavailable === undefined ? titleOf(entry).length : 0
  const toneAt = (at: number): Tone => (matched.has(at) ? 'key' : at < titled ? 'plain' : 'muted')
  const row = `${pointer}${paintedBy(theme, text, toneAt)} ${theme.paint('key', detail)}`
  return isSelected ? theme.paint('selected', `${row} `) : row
}

/** Paints cleaned text with the tone of each character's offset. */
function paintedBy(theme: Theme, text: string, toneAt: (offset: number) => Tone): string {
  let painted = ''
  let piece = ''
  let tone: Tone = 'plain'
  for (const { segment, index } of segmentsOf(text)) {
    if (toneAt(index) !== tone) {
      painted += theme.paint(tone, piece)
      piece = ''
      tone = toneAt(index)
    }
    piece += segment
  }
  return painted + theme.paint(tone, piece)
}
