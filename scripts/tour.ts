import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Key } from '../test/pty/keys.ts'
import { openTerminal } from '../test/pty/terminal.ts'
import { ensureBuilt } from './ensure-built.ts'
import { root } from './paths.ts'

type Stop = { title: string; words: string; keys: string[]; until: string | RegExp }

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
    words: '`3`: suites and the runs of the chosen one.',
    keys: ['escape', '3'],
    until: 'This suite has not run yet',
  },
  {
    title: 'Launching',
    words: '`n` says what it costs and starts on Cancel.',
    keys: ['n'],
    until: 'Launch the run',
  },
  {
    title: 'Live',
    words: 'The run opens; trials change as they run, failing ones first.',
    keys: ['down', 'enter'],
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

/** Where the writer's machine keeps things is nobody's business; the columns stay as they are. */
function withoutPaths(screen: string): string {
  return screen.replaceAll(/Found \/[^ │]*/g, found => 'Found …'.padEnd([...found].length))
}

await ensureBuilt()
await using terminal = openTerminal({ cols: 100, rows: 30 })
const sections: string[] = []
for (const stop of STOPS) {
  if (stop.title === 'Rerun') await terminal.waitFor(/#1 +✗ failed/)
  for (const key of stop.keys) {
    const before = terminal.screen()
    if ([...key].length === 1) terminal.type(key)
    else terminal.press(key as Key)
    // An Esc with a key right behind it is Alt and that key, to any terminal.
    if (key === 'escape') await terminal.waitFor(now => now.screen() !== before)
  }
  await terminal.waitFor(stop.until)
  sections.push(
    `## ${stop.title}\n\n${stop.words}\n\n\`\`\`text\n${withoutPaths(terminal.screen().trimEnd())}\n\`\`\`\n`,
  )
}
const text = [
  '# A tour',
  '',
  'Screens of the real program on a fresh home, 100×30, written by `npm run tour`.',
  '',
  ...sections,
].join('\n')
await writeFile(join(root, 'docs/tour.md'), text)
