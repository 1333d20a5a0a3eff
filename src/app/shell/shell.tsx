import { Box, Text } from 'ink'
import { useMemo, useRef, useState } from 'react'
import { type OpenBrowser, type OpenFile, useOpenUrl } from '../../components/browser.tsx'
import { type Copy, useCopy } from '../../components/copy.tsx'
import type { EditorHost } from '../../components/editor/editor-host.ts'
import { Boundary, FaultsProvider, QuietBoundary } from '../../components/boundary.tsx'
import { MouseCover } from '../../components/mouse-areas.tsx'
import { OverlayHost, useOverlays } from '../../components/overlays.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { useToasts, type Message } from '../../components/toasts.tsx'
import { useCurrentTasks } from '../../hooks/tasks.tsx'
import { useGoToFollowed } from '../../screens/runs/follow/use-follow.ts'
import { FollowServerRequests, useAnswerRequests } from '../../screens/servers/requests/use-answer-requests.tsx'
import { flyingPlaces, useFlyingWaves } from '../../screens/swarms/use-flying.ts'
import { useRefresh } from '../../hooks/use-refresh.ts'
import { unavailable, type KeyHandler, type PressedKey, type Unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { OverlayScope, useKeymap } from '../../tui/keymap/keymap-context.tsx'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { nowRoute } from '../../screens/now/route.ts'
import { projectsRoute } from '../../screens/projects/route.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { LoadedScreen } from '../registry.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { goKeysOf, tooSmallKeys } from './app-keys.ts'
import { RecordChecks } from './record-checks.tsx'
import { FollowConnections } from './follow-connections.tsx'
import { Footer, Notice, useFooterRows, toneMark } from './footer.tsx'
import { Header } from './header.tsx'
import { Help } from './help.tsx'
import { LeaveGoneProject } from './leave-gone-project.tsx'
import { Tabs } from './tabs.tsx'
import { useThemeChooser, useThemeEntries, type Themes } from './theme-chooser.tsx'
import { WindowTitle } from './window-title.tsx'
import { CountRequests, useBudgetOverlay, useShare } from './budget.tsx'
import { ShareContext } from '../../hooks/use-cadence.ts'
import { useAgent } from './agent/use-agent.tsx'
import { usePalette } from './use-palette.tsx'
import { usePin } from './use-pin.tsx'
import { useQuit, useUnderWay } from './use-quit.ts'
import { useCurrentSubject } from '../../components/subject.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { webAddress } from '../../tui/router/web-address.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { localClock } from '../../lib/times.ts'
import type { Theme } from '../../tui/theme/theme.ts'
import { useJsonOverlay } from '../../components/json/json-viewer.tsx'
import { formatLocator } from '../../tui/router/place.ts'

type SubjectAction = 'copyId' | 'copyLink' | 'raw'

const NONE = unavailable('Nothing is chosen.')

/** In a smaller terminal nothing useful fits. */
const LEAST = { width: 60, height: 15 }
const TABS_ROW = 1
/** For a screen reader lines have any length, but only the first keys are read out. */
const READ_FOOTER = 80
/** Header and tabs are above the body. */
const BODY_TOP = 2

/** Actions that code outside the shell carries out. */
export type ShellActions = {
  quit: () => void
  interrupt: () => void
  suspend?: () => void
  /** Turns the mouse on or off and returns the new state; absent if there is none. */
  toggleMouse?: () => boolean
  /** Absent without colors. */
  themes?: Themes
  redraw: () => void
  /** Logs an error of a part of the dashboard as a crash. */
  fault?: (error: unknown) => void
  /** Shows the current place and the followed runs in the terminal's title. */
  setTitle?: (title: string) => void
  /** Announces the end of a followed run to a person who looks elsewhere. */
  announce?: (sentence: string) => void
  /** Absent if no browser can be opened. */
  openBrowser?: OpenBrowser
  /** Absent if there is no desktop. */
  openFile?: OpenFile
  /** The person's editor; absent if there is no terminal to lend. */
  editor?: EditorHost
  /** Copies a text to the clipboard; returns why it could not, or nothing. */
  copy: Copy
}

/** Used if there is no log. */
const ignored = (): void => undefined

/** Shows the frame around every screen. */
export function Shell(props: {
  actions: ShellActions
  screens: readonly LoadedScreen[]
  project?: string | undefined
}) {
  const { screens } = props
  const terminal = useSize()
  const theme = useTheme()
  const project = useProject()
  const openScreen = useAppBindings(props.actions, screens, project)
  const place = usePlace()
  const size = { width: Math.max(LEAST.width, terminal.width), height: Math.max(LEAST.height, terminal.height) }
  const isTooSmall = size.width > terminal.width || size.height > terminal.height
  const footerWidth = theme.plain ? Math.min(size.width, READ_FOOTER) : size.width
  const footerRows = useFooterRows(footerWidth)
  const share = useShare(place.screen)
  const entry = screens.find(candidate => candidate.route.screen === place.screen) ?? screens[0]!
  const body = { width: size.width, height: size.height - BODY_TOP - footerRows }
  return (
    <FaultsProvider report={props.actions.fault ?? ignored} place={JSON.stringify(place)}>
      {isTooSmall && <TooSmall quit={props.actions.quit} />}
      <SizeProvider {...size}>
        <Box flexDirection="column" {...size} display={isTooSmall ? 'none' : 'flex'}>
          <QuietBoundary>
            <CountRequests />
            <RecordChecks />
            <FollowConnections />
            <FollowServerRequests keys={appKeys} />
            <LeaveGoneProject named={props.project} onNamed={project.name} />
            <WindowTitle setTitle={props.actions.setTitle} announce={props.actions.announce} />
          </QuietBoundary>
          <Box height={1}>
            <QuietBoundary>
              <Header />
            </QuietBoundary>
          </Box>
          <Tabs screens={screens} current={entry.route.screen} top={TABS_ROW} onOpen={openScreen} />
          <SizeProvider {...body} top={BODY_TOP}>
            <Box width={body.width} height={body.height}>
              <Boundary key={entry.route.screen} title={entry.title} focused>
                <ShareContext value={share}>
                  <entry.Screen />
                </ShareContext>
              </Boundary>
              <OverlayHost />
              <QuietBoundary>
                <Notice />
              </QuietBoundary>
            </Box>
          </SizeProvider>
          <SizeProvider width={footerWidth} height={footerRows} top={size.height - footerRows}>
            <QuietBoundary>
              <Footer />
            </QuietBoundary>
          </SizeProvider>
        </Box>
      </SizeProvider>
    </FaultsProvider>
  )
}

/** Covers everything else, which keeps its state but receives no key and no click until there is room. */
function TooSmall(props: { quit: () => void }) {
  return (
    <OverlayScope depth={Infinity}>
      <MouseCover>
        <TooSmallNotice quit={props.quit} />
      </MouseCover>
    </OverlayScope>
  )
}

function TooSmallNotice(props: { quit: () => void }) {
  const { width, height } = useSize()
  const { unsaved } = useWorkspace()
  const underWay = useUnderWay()
  const [warning, setWarning] = useState('')
  const quit = (): void => {
    const why = [...underWay(), ...(unsaved ? ['Nothing that was made here is saved.'] : [])]
    // There is no room for the question that the key asks otherwise.
    if (why.length === 0 || warning !== '') props.quit()
    else setWarning(` ${why.join(' ')} The same key again quits.`)
  }
  useBindings(tooSmallKeys, { quit })
  return (
    <Text>
      {`mcpdeck needs at least ${LEAST.width}×${LEAST.height}; this terminal has ${width}×${height}.${warning}`}
    </Text>
  )
}

/** Returns the current project, in which other screens open. The selected line of Now determines it only at first. */
function useProject(): CurrentProject {
  const place = usePlace()
  const entered = useRef<string>(undefined)
  const { projectId } = place.params
  if (place.screen !== nowRoute.screen) entered.current = projectId ?? entered.current
  const shown = useRef(projectId)
  shown.current = projectId
  const [project] = useState<CurrentProject>(() => ({
    get: () => entered.current ?? shown.current,
    ofShown: () => shown.current ?? entered.current,
    name: (projectId, asked) => {
      if (entered.current === undefined || entered.current === asked) entered.current = projectId
    },
  }))
  return project
}

type CurrentProject = {
  get: () => string | undefined
  /** Id of the project of the selected row; in Now, of the selected line. */
  ofShown: () => string | undefined
  /** Sets the id of the requested project, unless another one was opened meanwhile. */
  name: (projectId: string, asked: string | undefined) => void
}

/** Handles the keys that work everywhere; returns a function that opens a screen in the current project. */
function useAppBindings(
  actions: ShellActions,
  screens: readonly LoadedScreen[],
  project: CurrentProject,
): (entry: LoadedScreen) => void {
  const router = useRouter()
  const overlays = useOverlays()
  const refresh = useRefresh()
  const { dispatcher } = useKeymap()
  const openScreen = (entry: LoadedScreen | undefined): void => {
    if (entry) router.go(entry.route.to({ projectId: project.get() }))
  }
  const help = (): void => {
    const bindings = dispatcher.active()
    overlays.open({
      title: 'What works here',
      width: 90,
      height: 'content',
      content: close => <Help bindings={bindings} onClose={close} />,
    })
  }
  const agent = useAgent(project.ofShown)
  const palettes = usePalette(screens, project.get, agent, useThemeEntries(actions.themes))
  const subjectActions = useSubjectActions(screens)
  const numbered = screens.filter(({ order }) => order !== undefined)
  useBindings(appKeys, {
    ...subjectActions,
    followed: useGoToFollowed(flyingPlaces(useFlyingWaves()).map(({ place }) => place)),
    pin: usePin(),
    agent: () => agent.ask(),
    agentTurns: agent.history,
    answer: useAnswerRequests(),
    stop: useStop(),
    messages: useMessages(),
    budget: useBudgetOverlay(screens),
    browser: useBrowser(),
    help,
    back: () => undefined,
    quit: useQuit(actions.quit),
    interrupt: actions.interrupt,
    suspend: actions.suspend ?? unavailable('This terminal cannot be suspended.'),
    redraw: actions.redraw,
    ...palettes,
    refresh,
    screen: (key: PressedKey) => openScreen(numbered[Number(key.name) - 1]),
    allProjects: () => router.go(projectsRoute.to()),
    last: () => {
      if (!router.last()) throw new UnavailableAction('No other place was open yet.')
    },
    mouse: useMouseSwitch(actions.toggleMouse),
    theme: useThemeChooser(actions.themes),
  })
  const goKeys = useMemo(() => goKeysOf(screens), [screens])
  useBindings(goKeys, Object.fromEntries(screens.map(entry => [entry.route.screen, () => openScreen(entry)])))
  return openScreen
}

/** Stops the latest task that can be stopped. */
function useStop(): KeyHandler | Unavailable {
  const tasks = useCurrentTasks()
  const stoppable = tasks.findLast(({ stop }) => stop !== undefined)
  if (stoppable?.stop) return stoppable.stop
  const last = tasks.at(-1)
  if (!last) return unavailable('Nothing is running.')
  if (last.isStopping) return unavailable(`This is being stopped already: ${clean(last.text)}`)
  return unavailable(`This cannot be stopped; it ends by itself: ${clean(last.text)}`)
}

function useMouseSwitch(toggle: ShellActions['toggleMouse']): KeyHandler | Unavailable {
  const toasts = useToasts()
  if (!toggle) return unavailable('There is no mouse here.')
  return () => toasts.show('ok', toggle() ? 'The mouse is on.' : 'The mouse is off: it selects text as usual.')
}

/**
 * Opens the current place, or that of the selected item if it has its own, in the hosted UI; copies its address if
 * there is no browser.
 */
function useBrowser(): KeyHandler | Unavailable {
  const { profile } = useWorkspace()
  const here = usePlace()
  const place = useCurrentSubject()()?.place ?? here
  const open = useOpenUrl()
  if (profile.local) return unavailable('The local workspace has no pages on the web: all of it is here.')
  if (!profile.web)
    return unavailable(`The profile ${profile.name} has no address of a hosted UI; set web in the profile.`)
  const url = webAddress(profile.web, place)
  if (url === undefined)
    return unavailable(`The setting web of the profile ${profile.name} has no address for this place.`)
  return async () => void (await open(url))
}

/** Returns a function that opens the messages of this session, which stay readable after they left the footer. */
function useMessages(): () => void {
  const toasts = useToasts()
  const theme = useTheme()
  const show = useTextOverlay()
  return () => {
    const messages = toasts.messages()
    show(
      'Messages',
      messages.length > 0
        ? messages.map(message => messageLine(message, theme))
        : [{ text: 'No messages in this session yet.', tone: 'muted' }],
    )
  }
}

function messageLine({ at, tone, text }: Message, { symbols }: Theme): Line {
  const lead = [{ text: `${localClock(at)} `, tone: 'muted' as const }]
  const indent = [{ text: ' '.repeat(localClock(at).length + 1), tone: 'plain' as const }]
  return { spans: [{ text: `${toneMark(tone, symbols)} ${clean(text)}`, tone }], lead, rest: indent }
}

/** Returns the actions for the selected item that exist on every screen. */
function useSubjectActions(screens: readonly LoadedScreen[]): Record<SubjectAction, KeyHandler | Unavailable> {
  const routes = screens.map(screen => screen.route)
  const current = useCurrentSubject()
  const copy = useCopy()
  const router = useRouter()
  const showJson = useJsonOverlay()
  const { profile } = useWorkspace()
  const copyNamed = (what: string, text: string): void => copy(text, `Copied ${what}: ${text}`)
  const copyLink = (): void =>
    copyNamed('the link', formatLocator(routes, profile.name, current()?.place ?? router.here()))
  if (!current()) return { copyId: NONE, copyLink, raw: NONE }
  return {
    copyId() {
      const subject = current()
      if (subject) copyNamed(`the id of the ${subject.kind}`, subject.id)
    },
    copyLink,
    raw() {
      const subject = current()
      if (subject) showJson(`${subject.kind} ${subject.id}`, subject.record)
    },
  }
}
