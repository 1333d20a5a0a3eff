import chalk from 'chalk'
import { render } from 'ink'
import type { QueryClient } from '@tanstack/react-query'
import { createQueryClient } from '../api/query-client.ts'
import type { PressedKey } from '../app/keymap/binding.ts'
import { createDispatcher } from '../app/keymap/dispatcher.ts'
import { screens } from '../app/registry.ts'
import { formatPlace, type Place } from '../app/router/place.ts'
import { createRouter } from '../app/router/router.ts'
import { App } from '../app/shell/app.tsx'
import { createReport } from '../app/shell/report.ts'
import type { Abilities } from '../app/terminal/abilities.ts'
import { createInput, type InputEvent } from '../app/terminal/input.ts'
import { pictureOf } from '../app/terminal/picture.ts'
import { copySequence } from '../app/terminal/osc.ts'
import { installRestore } from '../app/terminal/restore.ts'
import { createScreen, type Screen } from '../app/terminal/screen.ts'
import { createStdinProxy } from '../app/terminal/stdin-proxy.ts'
import { fit } from '../app/theme/text.ts'
import { createTheme } from '../app/theme/theme.ts'
import { createToasts } from '../components/toasts.tsx'
import { tellEarlierWrites } from './earlier-writes.ts'
import { keepLastScreen, type PaintedScreen } from './last-screen.ts'
import type { Log } from './log.ts'
import type { OpenedWorkspace } from './workspace.ts'

/** chalk's levels by number of colours. */
const LEVELS = { 0: 0, 16: 1, 256: 2, true: 3 } as const
/** High enough that a held key never waits for a frame. */
const MAX_FPS = 120
/** How long a restored picture stays at most without data, and how long nothing may be asked before data counts as there. */
const HOLD_AT_MOST_MS = 1500
const QUIET_MS = 30
/** The age of the data at the header's end; a kept picture is never fresh. */
const FRESH = /fresh(?=(?:\s|\x1b\[[\d;]*m)*$)/
const routes = screens.map(screen => screen.route)

/** Runs the dashboard on this process's terminal until the person leaves; the process then ends by itself. */
export function openDashboard(options: {
  opened: OpenedWorkspace
  place: Place
  abilities: Abilities
  ascii: boolean
  log: Log
  /** The picture of the last time, on the terminal already. */
  painted?: PaintedScreen | undefined
  /** Where the screen is kept for the next start; absent = not. */
  lastScreenFile?: string | undefined
}): void {
  const { opened, log } = options
  const level = LEVELS[options.abilities.colour]
  // Ink and its widgets colour through chalk's shared instance.
  chalk.level = level
  const screen = createScreen(process.stdout, { askSynchronized: true })
  const input = createInput(process.stdin)
  const widgets = createStdinProxy()
  const toasts = createToasts()
  const restore = installRestore({
    screen,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    log: log.error,
    onExit: async reason => {
      if (reason !== 'crash') keepScreen()
      instance.unmount()
      await opened.close()
    },
  })
  const router = createRouter(options.place)
  const keepScreen = (): void => {
    if (!options.lastScreenFile) return
    try {
      const { columns, rows } = screen
      const [header = '', ...others] = screen.snapshot().slice(0, rows - 1)
      const lines = [header.replace(FRESH, 'stale'), ...others, lastSeenLine(columns)]
      const place = formatPlace(routes, router.current())
      const picture = pictureOf(lines, screen)
      keepLastScreen(options.lastScreenFile, { columns, rows, place, lines, picture })
    } catch (error) {
      log.error(error)
    }
  }
  const dispatcher = createDispatcher({
    settle: () => instance.waitUntilRenderFlush(),
    report: createReport(toasts, log.error),
  })
  const queryClient = createQueryClient()
  // Raw mode comes first: the terminal would echo its own answers to the screen's questions into the frame.
  input.onEvents(events => {
    void dispatchEvents(events, {
      press: async keys => {
        if (keys.some(leavesAtOnce)) screen.release()
        else await shown
        await dispatcher.press(keys)
      },
      paste: dispatcher.paste,
      reply: text => void screen.reply(text),
    })
  })
  input.start()
  options.painted?.takeOver()
  if (options.painted) screen.adopt(options.painted.lines)
  else screen.enter()
  // Keys are meant for what the picture shows, so they wait until it is there again.
  const shown = options.painted ? releaseWithData(screen, queryClient) : Promise.resolve()
  const instance = render(
    <App
      workspace={opened.workspace}
      queryClient={queryClient}
      router={router}
      dispatcher={dispatcher}
      feed={sequence => void widgets.push(sequence)}
      theme={createTheme({
        level,
        ascii: options.ascii || !options.abilities.unicode,
      })}
      toasts={toasts}
      regions={screen}
      actions={{
        quit: () => restore.exit(0),
        interrupt: () => restore.exit(130),
        suspend: () => restore.suspend(),
        redraw: () => screen.redraw(),
        copy(text) {
          const result = copySequence(text, process.env)
          if (!result.copied) return result.reason
          screen.control(result.sequence)
          return undefined
        },
      }}
    />,
    {
      stdout: screen.stdout,
      stdin: widgets,
      exitOnCtrlC: false,
      patchConsole: false,
      maxFps: MAX_FPS,
      interactive: true,
    },
  )
  instance.waitUntilExit().catch(restore.crash)
  void tellEarlierWrites({ opened, toasts, queryClient, log })
}

function leavesAtOnce(key: PressedKey): boolean {
  return key.name === 'ctrl+c'
}

/** Shows frames, and resolves, once nothing waits for its first data any more, or when that takes too long. */
function releaseWithData(screen: Pick<Screen, 'release'>, queryClient: QueryClient): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const release = (): void => {
    unsubscribe()
    clearTimeout(patience)
    clearTimeout(quiet)
    screen.release()
    resolve()
  }
  let quiet: NodeJS.Timeout | undefined
  const patience = setTimeout(release, HOLD_AT_MOST_MS)
  const unsubscribe = queryClient.getQueryCache().subscribe(() => {
    const isComplete = queryClient.isFetching({ predicate: query => query.state.data === undefined }) === 0
    if (!isComplete) clearTimeout(quiet)
    // What arrived may show something that asks for more.
    quiet = isComplete ? (quiet ?? setTimeout(release, QUIET_MS)) : undefined
  })
  return promise
}

/** The last row of a kept screen: from when it is, while the program loads. */
function lastSeenLine(columns: number): string {
  const time = new Date()
  const two = (number: number): string => String(number).padStart(2, '0')
  const day = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())}`
  return fit(` Last seen ${day} ${two(time.getHours())}:${two(time.getMinutes())}, opening…`, columns)
}

/** Keys between two other events of a chunk go to the dispatcher as one batch, in order. */
async function dispatchEvents(
  events: readonly InputEvent[],
  to: {
    press: (keys: PressedKey[]) => Promise<void>
    paste: (text: string) => void
    reply: (sequence: string) => void
  },
): Promise<void> {
  let keys: PressedKey[] = []
  const flush = async (): Promise<void> => {
    const batch = keys
    keys = []
    if (batch.length > 0) await to.press(batch)
  }
  for (const event of events) {
    if (event.type === 'key') {
      keys.push(event.key)
      continue
    }
    await flush()
    if (event.type === 'paste') to.paste(event.text)
    else if (event.type === 'reply') to.reply(event.sequence)
  }
  await flush()
}
