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
/** ink-testing-library's terminal is this wide. */
const SIZE = { width: 100, height: 40 }

export type TestService = { service: Service; client: Client; fetch: Fetch; close: () => Promise<void> }

/** The real service over a temporary directory, with a client of its owner's key. */
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
    // As often as usual, without the pauses that a service needs.
    retry: { baseMs: 1 },
    // What a test puts in place of an answer is not in the store.
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
  /** Texts that were put on the clipboard, oldest first. */
  copied: readonly string[]
  /** What is on screen now. */
  frame(): string
  /** What works now, and what does not with the reason. */
  active(): readonly ActiveBinding[]
  /** The first line that contains the text. */
  row(text: string): string
  /** Resolves with the frame as soon as it shows this; throws with the frame when it never does. */
  see(wanted: string | RegExp | ((frame: string) => boolean)): Promise<string>
  /** Presses a declared binding's first key, or a key by name. */
  press(...keys: (Binding | string)[]): Promise<void>
  /** Types text key by key. */
  type(text: string): Promise<void>
  /** Pastes text, with its line breaks. */
  paste(text: string): Promise<void>
  /** Clicks on the first character of this text where it is first on screen. */
  click(text: string): Promise<void>
  /** Moves the mouse onto the text, without a button. */
  hover(text: string): Promise<void>
  /** Turns the wheel above this text by one notch. */
  wheel(text: string, direction: 'up' | 'down'): Promise<void>
  /** The terminal has another size from now on. */
  resize(size: { width: number; height: number }): Promise<void>
  close(): Promise<void>
}

/** The whole program below the terminal, over the real service. */
export async function openApp(options: {
  place: Place | ((client: Client) => Promise<Place>)
  testService?: TestService
  readOnly?: boolean
  /** The project that the start named. */
  project?: string
  /** What the person has seen of lists; without it nothing of that is kept. */
  seen?: Seen
  /** The runs that the person follows; none at first by default. */
  pins?: Pins
  waves?: WaveMemory
  /** Groups with other keys than they declare. */
  bindings?: readonly Bindings[]
  /** Notes of access, where visitors come in, a notebook on disk; without them none of it is there. */
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
  /** Opens web addresses of the local workspace; without it there is no browser. */
  openBrowser?: (url: string) => Promise<string | undefined>
  openFile?: (path: string) => Promise<string | undefined>
  size?: { width: number; height: number }
  /** Drawn to be read aloud, as lines. */
  aloud?: boolean
  /** All screens of the program; those of the registry by default. */
  screens?: readonly ScreenDeclaration[]
  /** The person's editor; without it there is none. */
  editor?: EditorHost
  /** The terminal's colours; without them there are none. */
  themes?: Themes
  /** Called when the program would end. */
  quit?: () => void
}): Promise<TestApp> {
  const own = options.testService ?? (await openService())
  const { client } = own
  const place = typeof options.place === 'function' ? await options.place(client) : options.place
  const router = createRouter(place)
  // A busy machine may take longer than a moment to go on from a frame.
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
  // Its clock stands still, so that two clicks on a row are always a double click.
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

/** Renders for a screen reader: what the testing library passes on to Ink leaves that to the environment. */
function renderAloud(tree: ReactElement): ReturnType<typeof render> {
  process.env['INK_SCREEN_READER'] = 'true'
  try {
    return render(tree)
  } finally {
    delete process.env['INK_SCREEN_READER']
  }
}

/** The mouse at the first place where the frame shows the text; throws where it does not. */
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

/** Hears of every frame that is drawn, so that waiting needs no clock. */
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
