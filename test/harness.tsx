import { render } from 'ink-testing-library'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReactElement } from 'react'
import { createBudget } from '../src/api/client/budget/budget.ts'
import { createClient, type Client } from '../src/api/client/client.ts'
import { API_PREFIX } from '../src/api/contract/contract.ts'
import type { Fetch } from '../src/api/client/transport/fetch.ts'
import { createQueries } from '../src/api/client/cache/queries.ts'
import { createQueryClient } from '../src/api/client/cache/query-client.ts'
import { createPins, type Pins } from '../src/domain/runs/pins.ts'
import { createWaveMemory, type WaveMemory } from '../src/domain/swarms/wave-memory.ts'
import { systemClock } from '../src/lib/clock.ts'
import type { Seen } from '../src/domain/seen/seen.ts'
import type { Binding, Bindings } from '../src/tui/keymap/binding.ts'
import { createDispatcher } from '../src/tui/keymap/dispatcher.ts'
import type { ActiveBinding } from '../src/tui/keymap/layers.ts'
import { reactSettled } from '../src/tui/keymap/react-settled.ts'
import type { Place } from '../src/tui/router/place.ts'
import { createRouter, type Router } from '../src/tui/router/router.ts'
import { loadScreens } from '../src/app/registry.ts'
import type { ScreenDeclaration } from '../src/tui/router/screen.ts'
import { App } from '../src/app/shell/app.tsx'
import { createReport } from '../src/app/shell/report.ts'
import type { MouseEvent } from '../src/tui/terminal/mouse.ts'
import { createPointer } from '../src/tui/terminal/pointer.ts'
import type { Themes } from '../src/app/shell/theme-chooser.tsx'
import { createTheme } from '../src/tui/theme/theme.ts'
import type { EditorHost } from '../src/components/editor/editor-host.ts'
import { createToasts } from '../src/components/toasts.tsx'
import type { Workspace } from '../src/hooks/workspace.tsx'
import { createService, type Service, type ServiceOptions } from '../src/service/workspace/service.ts'
import { checked } from './contract/checked-answers.ts'
import { putNewWorkspace } from './new-workspace.ts'

const PATIENCE_MS = 30_000
/** Width of ink-testing-library's terminal. */
const SIZE = { width: 100, height: 40 }

export type TestService = { service: Service; client: Client; fetch: Fetch; close: () => Promise<void> }

/** The real service with a temporary directory, and a client with its owner's key. */
export async function openService(
  options: Partial<Omit<ServiceOptions, 'memory' | 'dataDir'>> & { wrap?: (fetch: Fetch) => Fetch } = {},
): Promise<TestService> {
  const { wrap, ...serviceOptions } = options
  const dataDir = await mkdtemp(join(tmpdir(), 'mcpdeck-test-'))
  await putNewWorkspace(dataDir, serviceOptions)
  const service = await createService({ dataDir, ...serviceOptions })
  const answer = checked(service.answer)
  const fetch = wrap ? wrap(answer) : answer
  const client = createClient({
    fetch,
    baseUrl: `http://local.invalid${API_PREFIX}`,
    key: service.localKey,
    budget: createBudget({ unlimited: true }),
    // Polls as often as usual, without the pauses that a service needs.
    retry: { baseMs: 1 },
    // An answer that a test replaces is not in the store.
    ...(!wrap && { stateOf: service.stateOf }),
  })
  const close = async (): Promise<void> => {
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  }
  return { service, client, fetch, close }
}

export type TestApp = {
  client: Client
  router: Router
  /** Texts that were copied to the clipboard, oldest first. */
  copied: readonly string[]
  /** The current text of the screen. */
  frame(): string
  /** The actions that work now, and the others with the reason why not. */
  active(): readonly ActiveBinding[]
  /** Returns the first line that contains the text. */
  row(text: string): string
  /** Resolves with the frame once it shows the text; throws with the frame if it never does. */
  see(wanted: string | RegExp | ((frame: string) => boolean)): Promise<string>
  /** Presses the first key of a declared binding, or a key by name. */
  press(...keys: (Binding | string)[]): Promise<void>
  /** Types text key by key. */
  type(text: string): Promise<void>
  /** Pastes text, with its line breaks. */
  paste(text: string): Promise<void>
  /** Clicks on the first character of this text, at its first place on screen. */
  click(text: string): Promise<void>
  /** Moves the mouse onto the text, without a button. */
  hover(text: string): Promise<void>
  /** Turns the wheel over this text by one notch. */
  wheel(text: string, direction: 'up' | 'down'): Promise<void>
  /** Resizes the terminal. */
  resize(size: { width: number; height: number }): Promise<void>
  close(): Promise<void>
}

/** The whole program except for the terminal, with the real service. */
export async function openApp(options: {
  place: Place | ((client: Client) => Promise<Place>)
  testService?: TestService
  readOnly?: boolean
  /** The project that was named at the start. */
  project?: string
  /** The records of lists that the person has seen; if absent, nothing is stored about them. */
  seen?: Seen
  /** The runs that the person follows; none by default. */
  pins?: Pins
  waves?: WaveMemory
  /** Binding groups with other keys than declared. */
  bindings?: readonly Bindings[]
  /** Notes of access changes, the entry for visitors and a notebook on disk; if absent, there are none. */
  access?: Pick<
    Workspace,
    | 'accessNotes'
    | 'door'
    | 'journal'
    | 'notebook'
    | 'doctorReports'
    | 'conformanceReports'
    | 'dismissedSteps'
    | 'doctorSteps'
    | 'waitingRequests'
    | 'serverNews'
    | 'serverWatches'
    | 'storedReaches'
    | 'executing'
    | 'unsaved'
    | 'serverFiles'
    | 'signIns'
    | 'shares'
  >
  /** A service that is reached over the network, with the addresses of its hosted UI. */
  hosted?: {
    web?: Record<string, string>
    keySource?: string
    openBrowser: (url: string) => Promise<string | undefined>
  }
  /** Opens web addresses of the local workspace; if absent, there is no browser. */
  openBrowser?: (url: string) => Promise<string | undefined>
  openFile?: (path: string) => Promise<string | undefined>
  size?: { width: number; height: number }
  /** Whether to render for a screen reader, as lines. */
  aloud?: boolean
  /** The screens of the program; by default those of the registry. */
  screens?: readonly ScreenDeclaration[]
  /** The person's editor; if absent, there is none. */
  editor?: EditorHost
  /** The terminal's colours; if absent, there are none. */
  themes?: Themes
  /** Called when the program would exit. */
  quit?: () => void
}): Promise<TestApp> {
  const own = options.testService ?? (await openService())
  const { client } = own
  const place = typeof options.place === 'function' ? await options.place(client) : options.place
  const router = createRouter(place)
  // A busy machine may take longer than a moment to show the next frame.
  const toasts = createToasts(10_000)
  const frames = createFrames()
  const dispatcher = createDispatcher({
    settle: reactSettled,
    report: createReport(toasts, () => undefined),
    bindings: options.bindings,
  })
  const { hosted, seen, openBrowser = hosted?.openBrowser } = options
  const profile = {
    ...(hosted
      ? {
          name: 'hosted',
          host: 'mcp.example',
          local: false,
          web: hosted.web,
          ...(hosted.keySource && { keySource: hosted.keySource }),
        }
      : { name: 'local', host: '', local: true }),
    readOnly: options.readOnly ?? false,
  }
  // The clock of the pointer stands still, so that two clicks on a row are always a double click.
  const pointer = createPointer(() => 0)
  const queryClient = createQueryClient()
  const leave = (): void => undefined
  const copied: string[] = []
  const screens = await loadScreens(options.screens)
  const draw = options.aloud ? renderAloud : render
  const tree = (size: { width: number; height: number }) => (
    <App
      workspace={{
        client,
        queries: createQueries(client),
        budget: client.budget,
        profile,
        pins: options.pins ?? createPins(),
        waves: options.waves ?? createWaveMemory({ clock: systemClock }),
        ...(seen && { seen }),
        ...options.access,
      }}
      queryClient={queryClient}
      router={router}
      dispatcher={dispatcher}
      feed={sequence => instance.stdin.write(sequence)}
      theme={createTheme({ level: 0, ascii: false, plain: options.aloud ?? false })}
      toasts={toasts}
      project={options.project}
      screens={screens}
      pointer={pointer}
      actions={{
        quit: options.quit ?? leave,
        interrupt: leave,
        redraw: leave,
        copy: text => void copied.push(text),
        ...(openBrowser && { openBrowser }),
        ...(options.openFile && { openFile: options.openFile }),
        ...(options.editor && { editor: options.editor }),
        ...(options.themes && { themes: options.themes }),
      }}
      size={size}
    />
  )
  const instance = draw(tree(options.size ?? SIZE))
  frames.attach(instance.stdout)
  const frame = (): string => instance.lastFrame() ?? ''
  const mouse = async (action: MouseEvent['action'], text: string): Promise<void> => {
    const event = { ...mouseOn(frame(), text), action, ...(action === 'move' && { button: 'none' as const }) }
    await dispatcher.act(() => void pointer.handle(event))
    await reactSettled()
  }
  return {
    client,
    router,
    frame,
    active: dispatcher.active,
    copied,
    row: text =>
      frame()
        .split('\n')
        .find(line => line.includes(text)) ?? '',
    see: wanted => frames.until(frame, wanted),
    async press(...keys) {
      await dispatcher.press(keys.map(key => toKey(typeof key === 'string' ? key : key.keys[0]!)))
      await reactSettled()
    },
    async type(text) {
      await dispatcher.press([...text].map(toKey))
      await reactSettled()
    },
    async paste(text) {
      await dispatcher.act(() => dispatcher.paste(text))
      await reactSettled()
    },
    click: text => mouse('press', text),
    hover: text => mouse('move', text),
    async resize(size) {
      instance.rerender(tree(size))
      await reactSettled()
    },
    wheel: (text, direction) => mouse(`wheel-${direction}`, text),
    async close() {
      instance.unmount()
      queryClient.clear()
      if (!options.testService) await own.close()
    },
  }
}

/** Renders for a screen reader; the testing library leaves that choice of Ink to the environment. */
function renderAloud(tree: ReactElement): ReturnType<typeof render> {
  process.env['INK_SCREEN_READER'] = 'true'
  try {
    return render(tree)
  } finally {
    delete process.env['INK_SCREEN_READER']
  }
}

/** Returns the mouse position of the first occurrence of the text in the frame; throws if there is none. */
function mouseOn(frame: string, text: string): Omit<MouseEvent, 'action'> {
  const lines = frame.split('\n')
  const row = lines.findIndex(line => line.includes(text))
  if (row === -1) throw new Error(`nothing shows ${text}; the screen was:\n${frame}`)
  const column = lines[row]!.indexOf(text)
  return { type: 'mouse', button: 'left', row, column, shift: false, alt: false, ctrl: false }
}

const SEQUENCES: Record<string, string> = {
  enter: '\r',
  escape: '\u001b',
  tab: '\t',
  ' ': ' ',
  backspace: '\u007f',
  up: '\u001b[A',
  down: '\u001b[B',
  right: '\u001b[C',
  left: '\u001b[D',
}

function toKey(name: string): { name: string; sequence: string } {
  return { name: name === ' ' ? 'space' : name, sequence: SEQUENCES[name] ?? name }
}

/** Listens to every rendered frame, so that waiting needs no clock. */
function createFrames() {
  const listeners = new Set<() => void>()
  return {
    attach(stdout: { write: (frame: string) => void }) {
      const write = stdout.write
      stdout.write = frame => {
        write(frame)
        listeners.forEach(listener => listener())
      }
    },
    until(frame: () => string, wanted: string | RegExp | ((frame: string) => boolean)): Promise<string> {
      const found = (): boolean =>
        typeof wanted === 'function'
          ? wanted(frame())
          : typeof wanted === 'string'
            ? frame().includes(wanted)
            : wanted.test(frame())
      return new Promise((resolve, reject) => {
        const done = (settle: () => void): void => {
          listeners.delete(check)
          clearTimeout(timer)
          settle()
        }
        const check = (): void => {
          if (found()) done(() => resolve(frame()))
        }
        const timer = setTimeout(
          () => done(() => reject(new Error(`never showed ${String(wanted)}; the screen was:\n${frame()}`))),
          PATIENCE_MS,
        )
        listeners.add(check)
        check()
      })
    },
  }
}
