import { Box, Text } from 'ink'
import { useRef } from 'react'
import { OverlayHost, useOverlays } from '../../components/overlays.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { useRefresh } from '../../hooks/use-refresh.ts'
import { unavailable, type PressedKey } from '../keymap/binding.ts'
import { useKeymap } from '../keymap/keymap-context.tsx'
import { useBindings } from '../keymap/use-bindings.ts'
import { usePlace, useRouter } from '../router/router-context.tsx'
import { screens } from '../registry.ts'
import { appKeys } from './app-keys.ts'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { Tabs } from './tabs.tsx'
import { usePalette } from './use-palette.tsx'
import { useSubjectActions, type Copy } from './use-subject-actions.ts'

/** Smaller than this, nothing useful fits. */
const LEAST = { width: 60, height: 15 }
const FRAME_ROWS = 3
/** Header and tabs stand above the body. */
const BODY_TOP = 2

/** What only the program's outside can do. */
export type ShellActions = {
  quit: () => void
  interrupt: () => void
  suspend?: () => void
  redraw: () => void
  /** Puts a text on the clipboard; answers why it could not, or nothing. */
  copy: Copy
}

/** The frame around every screen. */
export function Shell(props: { actions: ShellActions }) {
  const size = useSize()
  useAppBindings(props.actions)
  const place = usePlace()
  const entry = screens.find(candidate => candidate.route.screen === place.screen) ?? screens[0]!
  if (size.width < LEAST.width || size.height < LEAST.height)
    return (
      <Text>{`mcpdeck needs at least ${LEAST.width}×${LEAST.height}; this terminal has ${size.width}×${size.height}.`}</Text>
    )
  const body = { width: size.width, height: size.height - FRAME_ROWS }
  return (
    <Box flexDirection="column" width={size.width} height={size.height}>
      <Header />
      <Tabs screens={screens} current={entry.route.screen} />
      <SizeProvider {...body} top={BODY_TOP}>
        <Box width={body.width} height={body.height}>
          <entry.Screen key={entry.route.screen} />
          <OverlayHost />
        </Box>
      </SizeProvider>
      <Footer />
    </Box>
  )
}

function useAppBindings(actions: ShellActions): void {
  const router = useRouter()
  const overlays = useOverlays()
  const refresh = useRefresh()
  const { dispatcher } = useKeymap()
  const project = useRef<string>(undefined)
  const place = usePlace()
  project.current = place.params.projectId ?? project.current
  const openScreen = (key: PressedKey): void => {
    const entry = screens[Number(key.name) - 1]
    if (entry) router.go(entry.route.to({ projectId: project.current }))
  }
  const help = (): void => {
    const bindings = dispatcher.active()
    const close = overlays.open({
      title: 'What works here',
      size: available => ({ width: Math.min(84, available.width), height: available.height }),
      content: <Help bindings={bindings} onClose={() => close()} />,
    })
  }
  const palette = usePalette(() => project.current)
  const subjectActions = useSubjectActions(actions.copy)
  useBindings(appKeys, {
    ...subjectActions,
    help,
    back: () => void router.back(),
    quit: actions.quit,
    interrupt: actions.interrupt,
    suspend: actions.suspend ?? unavailable('This terminal cannot be suspended.'),
    redraw: actions.redraw,
    palette,
    refresh,
    screen: openScreen,
    last: () => router.last(),
    projects: () => router.go(screens[0]!.route.to({ projectId: project.current })),
  })
}
