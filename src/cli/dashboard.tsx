import chalk from 'chalk'
import { render } from 'ink'
import { createQueryClient } from '../api/query-client.ts'
import type { PressedKey } from '../app/keymap/binding.ts'
import { createDispatcher } from '../app/keymap/dispatcher.ts'
import type { Place } from '../app/router/place.ts'
import { createRouter } from '../app/router/router.ts'
import { App } from '../app/shell/app.tsx'
import { createReport } from '../app/shell/report.ts'
import type { Abilities } from '../app/terminal/abilities.ts'
import { createInput, type InputEvent } from '../app/terminal/input.ts'
import { copySequence } from '../app/terminal/osc.ts'
import { installRestore } from '../app/terminal/restore.ts'
import { createScreen, type Screen } from '../app/terminal/screen.ts'
import { createStdinProxy } from '../app/terminal/stdin-proxy.ts'
import { createTheme } from '../app/theme/theme.ts'
import { createToasts } from '../components/toasts.tsx'
import { tellEarlierWrites } from './earlier-writes.ts'
import type { PaintedScreen } from './last-screen.ts'
import type { Log } from './log.ts'
import { releaseWithData, screenKeeper } from './restored-screen.ts'
import type { OpenedWorkspace } from './workspace.ts'

/** chalk's levels by number of colours. */
const LEVELS = { 0: 0, 16: 1, 256: 2, true: 3 } as const
/** High enough that a held key never waits for a frame. */
const MAX_FPS = 120

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
  const keepScreen = screenKeeper({ file: options.lastScreenFile, screen, router, log })
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
        copy: text => copyThrough(screen, text),
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

/** Sends a text to the terminal's clipboard; answers why it cannot. */
function copyThrough(screen: Screen, text: string): string | undefined {
  const result = copySequence(text, process.env)
  if (!result.copied) return result.reason
  screen.control(result.sequence)
  return undefined
}

function leavesAtOnce(key: PressedKey): boolean {
  return key.name === 'ctrl+c'
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
