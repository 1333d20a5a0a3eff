import chalk from 'chalk'
import type { QueryClient } from '@tanstack/react-query'
import { join } from 'node:path'
import { render } from 'ink'
import type { Budget } from '../../api/client/budget/budget.ts'
import { createPollingClient, readAgain } from '../../api/client/cache/query-client.ts'
import { gatherNews } from '../../lib/clock.ts'
import type { Bindings, PressedKey } from '../../tui/keymap/binding.ts'
import { createDispatcher } from '../../tui/keymap/dispatcher.ts'
import { reactSettled } from '../../tui/keymap/react-settled.ts'
import type { Place } from '../../tui/router/place.ts'
import { createRouter, type Router } from '../../tui/router/router.ts'
import { App } from '../../app/shell/app.tsx'
import { createReport } from '../../app/shell/report.ts'
import type { LoadedScreen } from '../../app/registry.ts'
import type { ShellActions } from '../../app/shell/shell.tsx'
import type { Abilities } from '../../tui/terminal/abilities.ts'
import { announcement } from '../../tui/terminal/announcement.ts'
import { createInput, type Input } from '../../tui/terminal/input.ts'
import { toAscii } from '../../tui/terminal/ascii.ts'
import { createLineScreen, type LineScreen } from '../../tui/terminal/line-screen.ts'
import { copySequence } from '../../tui/terminal/osc.ts'
import { neverWaitFor } from '../../tui/terminal/output.ts'
import { createPointer } from '../../tui/terminal/pointer.ts'
import { createPace, PACES } from '../../tui/terminal/pace.ts'
import { installRestore, type Restore } from '../../tui/terminal/restore.ts'
import { createScreen, Screen } from '../../tui/terminal/screen.ts'
import { createStdinProxy } from '../../tui/terminal/stdin-proxy.ts'
import { startWatchdog, type Watchdog } from '../../tui/terminal/watchdog.ts'
import type { BadgeColour } from '../../tui/theme/badge-colours.ts'
import { createToasts } from '../../components/toasts.tsx'
import type { SignIns } from '../../domain/servers/sign-in.ts'
import { AWAY_FACTOR } from '../../domain/polling/cadence.ts'
import type { LinePace, Workspace } from '../../hooks/workspace.tsx'
import { openAnswerCache } from '../workspace/answer-cache.ts'
import { openFile, openInBrowser } from '../editor/browser.ts'
import { directories } from '../config/directories.ts'
import { reportOpenWrites } from '../journal/open-writes.ts'
import { createEditorHost } from '../editor/editor-host.ts'
import type { PaintedScreen } from './last-screen.ts'
import { createMemoryRelease, type MemoryRelease, setOptimizing } from '../process/memory-release.ts'
import type { Log } from '../output/log.ts'
import type { Themes } from '../../app/shell/theme-chooser.tsx'
import { createFocusPace, type FocusPace } from './focus-pace.ts'
import { createTerminalTheme, type TerminalTheme } from './terminal-theme.ts'
import type { TtyConventions } from './tty-conventions.ts'
import { beginOnNow, locatorOf } from './opening-place.ts'
import { passScreenOn } from './restored-screen.ts'
import { dispatchEvents } from './terminal-events.ts'
import { serverFiles } from '../servers/known-files.ts'
import type { OpenedWorkspace } from '../workspace/workspace.ts'
import { createShares, type Share } from '../../domain/polling/share.ts'
import { createServerWatches } from '../../domain/watching/server-watches.ts'
import { createWatches } from '../../domain/watching/watches.ts'

/** While nobody is present, answers within this many milliseconds are drawn together. */
const TOGETHER_MS = 100

/** Loaded when the first setting changes. */
const saveShare = async (screen: string, share: Share): Promise<void> =>
  (await import('../config/edit.ts')).saveShare(screen, share)

/** Loaded when the first sign-in starts. */
const signIns: SignIns = {
  plan: async (...args) => await (await import('../sign-in/sign-ins.ts')).createSignIns().plan(...args),
}

/** How Ink draws; the frame rate is high enough that a held key never waits for a frame. */
const RENDERING = { exitOnCtrlC: false, patchConsole: false, maxFps: 120, interactive: true }

export type DashboardOptions = {
  opened: OpenedWorkspace
  place: Place
  /** Whether nobody used the dashboard before, and no starting place is given. */
  isFirst?: boolean
  screens: readonly LoadedScreen[]
  /** Holds the data read for the first frame; absent if none was read. */
  queryClient?: QueryClient
  abilities: Abilities
  ascii: boolean
  conventions: TtyConventions
  /** Color of the profile's badge, if the profile sets one. */
  badge: BadgeColour | undefined
  /** All bindings, if the config changes keys of some. */
  bindings: readonly Bindings[] | undefined
  /** How often screens are read, if the config sets it. */
  reads: Readonly<Partial<Record<string, Share>>>
  /** Whether the config turns animations off. */
  reducedMotion: boolean
  log: Log
  /** The restored screen of the last session, already on the terminal. */
  painted?: PaintedScreen | undefined
  /** File that saves the screen for the next start; if absent, it is not saved. */
  lastScreenFile?: string | undefined
  /** File that saves the last screen for starts without options; absent if this start has options that change it. */
  leftScreenFile?: string | undefined
  /** Whether the place was given by name, so that every such start begins there. */
  namesPlace?: boolean
  /** Id or name of the project that the person asked for. */
  project?: string | undefined
  /** A message for the person, once it is known. */
  notice?: Promise<string>
}

/** Runs the dashboard on this process's terminal until the person leaves; then the process ends by itself. */
export function openDashboard(options: DashboardOptions): void {
  const { opened, conventions, log } = options
  const terminal = createTerminalTheme({ ...options, env: process.env })
  // Ink and its widgets use chalk's shared instance for colors.
  chalk.level = terminal.level
  const { screen, linePace } = openScreen(terminal, conventions)
  // A screen reader gets lines; the cell screen then never uses the terminal.
  const surface = conventions.screenReader ? createLineScreen(process.stdout, terminal.theme.symbols.pointer) : screen
  const input = createInput(process.stdin, () => watchdog.hear())
  const widgets = createStdinProxy()
  const toasts = createToasts()
  const watchdog = startWatchdog({
    leaving: () => surface.leaving,
    give: input.give,
    end: code => restore.abandon(code),
  })
  const restore = installRestore({
    screen: surface,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    log: log.error,
    onExit: async reason => {
      watchdog.ends()
      if (reason !== 'crash') {
        keepScreen()
        opened.place.change(() => locatorOf(router.here()))
      }
      keepAnswers()
      instance.unmount()
      await close()
    },
  })
  const router = createRouter(options.place)
  const dispatcher = createDispatcher({
    settle: async () => {
      await reactSettled()
      await instance.waitUntilRenderFlush()
    },
    report: createReport(toasts, log.error),
    bindings: options.bindings,
  })
  const { queryClient = createPollingClient() } = options
  const pointer = createPointer(Date.now, isWanted => screen.setHover(isWanted))
  const keepAnswers = openAnswerCache({ file: opened.cacheFile, queryClient, log })
  opened.onArrival(() => void readAgain(queryClient))
  const memory = releaseAfterReads(queryClient)
  const focusPace = createFocusPace(linePace, queryClient)
  focusPace.subscribe(() => keepPace(focusPace, watchdog, opened.workspace.budget, memory))
  const { workspace, close } = withOwn(opened, focusPace, options.reads)
  const noteKey = keyNotes(options, { router, queryClient, workspace, focusPace })
  const typed = async (act: () => Promise<void>, leaves = false): Promise<void> => {
    await (leaves ? screen.release() : shown)
    noteKey()
    await act()
    memory.putOff()
  }
  // Raw mode must come first: otherwise the terminal would echo its replies to the screen's queries into the frame.
  input.onEvents(events => {
    void dispatchEvents(events, {
      press: keys => typed(() => dispatcher.press(keys), keys.some(leavesAtOnce)),
      burst: (text, keys) => typed(() => dispatcher.burst(text, keys)),
      mouse: async (event, notches) => {
        await shown
        await dispatcher.act(() => void pointer.handle(event, notches))
      },
      paste: text => void dispatcher.act(() => dispatcher.paste(text)),
      focus: focusPace.set,
      reply: text => (screen.reply(text) || !terminal.reply(text) ? undefined : repaint()),
    })
  })
  input.start()
  const goesOn = takeOver(options.painted, surface)
  // Keys apply to what is on screen, so they wait until the screen is back.
  const { shown, keepScreen } = passScreenOn(options, goesOn, { screen, router, queryClient })
  const repaint = (): void => onGround(terminal, screen, () => instance.rerender(app()))
  const actions = shellActions({ restore, surface, screen, input, watchdog, terminal, repaint, ...options })
  const app = () => (
    <App
      workspace={workspace}
      queryClient={queryClient}
      router={router}
      dispatcher={dispatcher}
      feed={sequence => void widgets.push(sequence)}
      theme={terminal.theme}
      toasts={toasts}
      screens={options.screens}
      project={options.project}
      {...(!conventions.screenReader && { regions: screen, pointer })}
      reducedMotion={options.reducedMotion}
      actions={actions}
    />
  )
  const instance = render(app(), {
    stdout: surface.stdout,
    stdin: widgets,
    ...RENDERING,
    isScreenReaderEnabled: conventions.screenReader,
  })
  instance.waitUntilExit().catch(restore.crash)
  void options.notice?.then(text => toasts.show('warn', text))
  void reportOpenWrites({ opened, toasts, queryClient, log })
}

/** Returns the workspace with further parts of this process, and a function that closes both. */
function withOwn(
  { workspace, watchPatterns, close }: OpenedWorkspace,
  pace: FocusPace,
  reads: DashboardOptions['reads'],
) {
  const shares = createShares(reads, saveShare)
  const watches = createWatches(workspace.client, watchPatterns)
  const serverWatches = createServerWatches()
  return {
    workspace: { ...workspace, pace, shares, serverFiles: serverFiles(), signIns, watches, serverWatches },
    close: async (): Promise<void> => {
      watches.close()
      serverWatches.close()
      await close()
    },
  }
}

/** Records keys: any key shows that someone is present, and from then on the program no longer chooses a place. */
function keyNotes(
  { opened, isFirst }: DashboardOptions,
  own: { router: Router; queryClient: QueryClient; workspace: Workspace; focusPace: FocusPace },
): () => void {
  const { router, queryClient, workspace, focusPace } = own
  const stay = isFirst ? beginOnNow({ router, queryClient, queries: workspace.queries }) : undefined
  return () => {
    stay?.()
    workspace.seen?.stay()
    opened.onKey()
    focusPace.attend()
  }
}

/** Slows down other periodic work in the same way as the polls. */
function keepPace(pace: FocusPace, watchdog: Watchdog, budget: Budget, memory: MemoryRelease): void {
  watchdog.attended(pace.isAttended())
  setOptimizing(pace.isAttended())
  gatherNews(pace.isAttended() ? 0 : TOGETHER_MS)
  budget.setRest(pace.pollFactor())
  if (pace.pollFactor() >= AWAY_FACTOR) memory.leave()
}

/** Opens the cell screen, which paints as fast as the terminal accepts output. */
function openScreen(terminal: TerminalTheme, conventions: TtyConventions): { screen: Screen; linePace: LinePace } {
  neverWaitFor(process.stdout)
  // At exit a library shows the cursor through standard error.
  if (process.stderr.isTTY) neverWaitFor(process.stderr)
  const pace = createPace()
  const screen = createScreen(process.stdout, {
    askSynchronized: true,
    // The Linux console supports neither, and its old versions print parts of unknown sequences.
    askKeyboard: process.env.TERM !== 'linux',
    askBackground: terminal.asksBackground,
    onWritten: pace.written,
    // If the other end of the terminal is closed, ends the process as a hang-up would.
    onGone: () => process.kill(process.pid, 'SIGHUP'),
    mouse: conventions.mouse,
    ...(terminal.theme.ascii && { spell: toAscii }),
  })
  const spare = () => PACES[pace.level()]
  pace.subscribe(() => screen.setPause(spare().paintPauseMs))
  return { screen, linePace: { pollFactor: () => spare().pollFactor, subscribe: pace.subscribe } }
}

type Surface = Screen | LineScreen

/**
 * Takes over the terminal. Returns whether the restored screen is reused; it is removed if lines are printed instead.
 */
function takeOver(painted: PaintedScreen | undefined, surface: Surface): boolean {
  if (painted && surface instanceof Screen) {
    painted.takeOver()
    surface.adopt(painted.lines)
    return true
  }
  painted?.undo()
  surface.enter()
  return false
}

/** Returns actions that the shell cannot do without this terminal. */
function shellActions(options: {
  restore: Restore
  surface: Surface
  screen: Screen
  input: Input
  watchdog: Watchdog
  terminal: TerminalTheme
  repaint: () => void
  abilities: Abilities
  conventions: TtyConventions
  log: Log
}): ShellActions {
  const { restore, surface, screen, input, watchdog, abilities, conventions, log } = options
  return {
    quit: () => restore.exit(0),
    interrupt: () => restore.exit(130),
    suspend: () => restore.suspend(),
    redraw: () => surface.redraw(),
    fault: log.error,
    openBrowser: url => openInBrowser(url, process.env),
    openFile: path => openFile(path, process.env),
    editor: createEditorHost({
      directory: join(directories().state, 'edited'),
      env: process.env,
      lend: work =>
        restore.lend(async () => {
          input.pause()
          watchdog.readsKeys(false)
          try {
            return await work()
          } finally {
            watchdog.readsKeys(true)
            input.start()
          }
        }),
    }),
    copy: text => (abilities.dumb ? 'This terminal has no clipboard.' : copyThrough(surface, text)),
    // The choice `title` needs no announcement, since the title of every window is updated in any case.
    ...(conventions.notify !== 'off' &&
      conventions.notify !== 'title' && {
        announce: (sentence: string) =>
          surface.control(announcement(conventions.notify, sentence, process.env, abilities.dumb)),
      }),
    ...(options.terminal.level > 0 && { themes: themesOf(options.terminal, options.repaint) }),
    ...(surface === screen && {
      setTitle: (text: string) => screen.setTitle(text),
      toggleMouse: () => {
        screen.setMouse(!screen.hasMouse)
        return screen.hasMouse
      },
    }),
  }
}

/** Draws in the terminal's theme, on the background that it wants. */
function onGround({ ground }: TerminalTheme, screen: Screen, draw: () => void): void {
  screen.setGround(ground)
  draw()
}

/** Lets the person choose among the terminal's themes; `repaint` shows the chosen one. */
function themesOf(terminal: TerminalTheme, repaint: () => void): Themes {
  return {
    choices: terminal.choices,
    current: () => terminal.choice,
    show(name) {
      terminal.choose(name)
      repaint()
    },
    keep: async name => await (await import('../config/edit.ts')).keepTheme(name, process.env),
  }
}

/** Sends a text to the terminal's clipboard; returns why it cannot. */
function copyThrough(surface: Surface, text: string): string | undefined {
  const result = copySequence(text, process.env)
  if (!result.copied) return result.reason
  surface.control(result.sequence)
  return undefined
}

function leavesAtOnce(key: PressedKey): boolean {
  return key.name === 'ctrl+c'
}

function releaseAfterReads(queryClient: QueryClient): MemoryRelease {
  const memory = createMemoryRelease(() => queryClient.isFetching() > 0)
  queryClient.getQueryCache().subscribe(event => {
    if (event.type === 'updated') memory.putOff()
  })
  return memory
}
