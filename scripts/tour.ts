import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { prepareNightly } from '../test/nightly-home.ts'
import { createHome, removeHome } from '../test/pty/home.ts'
import type { Key } from '../test/pty/keys.ts'
import { openTerminal, type Terminal } from '../test/pty/terminal.ts'
import { ensureBuilt } from './ensure-built.ts'
import { root } from './paths.ts'

type Stop = {
  title: string
  words: string
  keys: string[]
  until: string | RegExp
  /** What happens elsewhere before the keys are pressed. */
  before?: () => void
}

/** The way a newcomer goes: each stop presses keys, waits for what it should show, and is captured. */
const STOPS: readonly Stop[] = [
  { title: 'Projects', words: 'What opens first.', keys: [], until: 'launch eval run' },
  { title: 'Servers', words: '`Enter` on the project.', keys: ['enter'], until: 'a program over stdio' },
  { title: 'Doctor', words: '`d` on the server: every step with its time.', keys: ['d'], until: /✓ ready/ },
  { title: 'Tools', words: '`]` to the tools of the live server.', keys: [']'], until: 'Message to echo' },
  {
    title: 'A call',
    words: '`Tab` into the pane, `Enter` on the tool: its arguments as a form.',
    keys: ['tab', 'enter'],
    until: 'Call echo on everything',
  },
  {
    title: 'Its result',
    words: 'Type the message, `Ctrl+S` sends it, once.',
    keys: [...'hello', 'ctrl+s'],
    until: 'Echo: hello',
  },
  {
    title: 'Runs',
    words: '`4`: suites and the runs of the chosen one.',
    keys: ['escape', '4'],
    until: 'This suite has not run yet',
  },
  {
    title: 'Launching',
    words: '`n`: what can be chosen, what it will run and occupy; `Enter` goes straight to the last line.',
    keys: ['n'],
    until: 'Launch 15 trials',
  },
  {
    title: 'Live',
    words: 'The run opens; trials change as they run, failing ones first.',
    keys: ['enter', 'enter'],
    until: /● running +Long operation/,
  },
  {
    title: 'Why it failed',
    words: '`Enter` on the failing trial: expected and actual.',
    keys: ['enter'],
    until: 'expected final text',
  },
  {
    title: 'Rerun',
    words: '`R` on the ended run: the preview counts cases and trials.',
    keys: ['escape', 'R'],
    until: '1 of 10 cases would run again',
  },
  {
    title: 'Help',
    words: '`?` anywhere: what works here, and why something does not.',
    keys: ['escape', '?'],
    until: 'What works here',
  },
]

/** The way from a failed nightly run to its cause and to a rerun that passes; `mend` takes back what the server changed. */
function nightlyStops(mend: () => void): readonly Stop[] {
  return [
    {
      title: 'A nightly run failed',
      words:
        '`Enter` on it: the summary says what changed about the tools of the failing cases since the suite passed.',
      keys: ['enter'],
      until: 'the schema of get-sum changed',
    },
    {
      title: 'The tools, then and now',
      words: '`D`: what the last good run saw, what this one saw, and what the servers offer at this moment.',
      keys: ['D'],
      until: 'must be string',
    },
    {
      title: 'What a rerun would run',
      words: 'The server is mended; `R` names the failed cases and what they cost last time.',
      before: mend,
      keys: ['escape', 'R'],
      until: '3 of 4 cases would run again',
    },
    {
      title: 'The rerun against its parent',
      words: 'When it ends, the comparison opens by itself.',
      keys: ['down', 'enter'],
      until: /✓ fixed +adds nothing/,
    },
  ]
}

/** Where the writer's machine keeps things is nobody's business; the columns stay as they are. */
function withoutPaths(screen: string): string {
  return screen.replaceAll(/Found \/[^ │]*/g, found => 'Found …'.padEnd([...found].length))
}

/** Goes to each stop, and answers what is seen there. */
async function walk(terminal: Terminal, stops: readonly Stop[]): Promise<string[]> {
  const sections: string[] = []
  for (const stop of stops) {
    if (stop.title === 'Rerun') await terminal.waitFor(/#1 .*✗ failed/)
    stop.before?.()
    for (const key of stop.keys) {
      // An Esc with a key right behind it would be Alt and that key; this form of it is Esc alone.
      if (key === 'escape') terminal.type('\u001B[27u')
      else if ([...key].length === 1) terminal.type(key)
      else terminal.press(key as Key)
    }
    await terminal.waitFor(stop.until)
    const screen = withoutPaths(terminal.screen().trimEnd())
    sections.push(`## ${stop.title}\n\n${stop.words}\n\n\`\`\`text\n${screen}\n\`\`\`\n`)
  }
  return sections
}

/** A workspace of its own, in which a server changed between two nights. */
async function walkNightly(): Promise<string[]> {
  const home = createHome()
  const folder = await mkdtemp(join(tmpdir(), 'mcpdeck-tour-'))
  try {
    const { place, drift } = await prepareNightly(home, folder)
    await using terminal = openTerminal({ ...SIZE, home, args: [place] })
    await terminal.waitFor(/▌#2 +✗ failed/)
    return await walk(
      terminal,
      nightlyStops(() => drift(false)),
    )
  } finally {
    removeHome(home)
    await rm(folder, { recursive: true, force: true })
  }
}

async function walkNewcomer(): Promise<string[]> {
  await using terminal = openTerminal(SIZE)
  return await walk(terminal, STOPS)
}

const SIZE = { cols: 100, rows: 30 }

await ensureBuilt()
const sections = [...(await walkNewcomer()), ...(await walkNightly())]
const text = [
  '# A tour',
  '',
  'Screens of the real program on a fresh home, 100×30, written by `npm run tour`.',
  '',
  ...sections,
].join('\n')
await writeFile(join(root, 'docs/tour.md'), text)
