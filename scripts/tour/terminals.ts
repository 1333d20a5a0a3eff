import './clock.ts'
import { randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { spawnSync } from 'node:child_process'
import type { Condition, Terminal, TerminalOptions } from '../../test/pty/terminal.ts'
import { isInstalled } from '../../test/programs.ts'
import { ensureBuilt } from '../ensure-built.ts'
import { dist, root } from '../paths.ts'
import { settled } from '../pictures/photograph.ts'
import { openOnTheDay, press, type Press } from './recorder.ts'

const PROGRAM = join(dist, 'boot.js')
const RUN = `'${process.execPath}' '${PROGRAM}'`
/** Reports that the terminal marks paints, so that they can be counted, and that its background is white. */
const MARKS_PAINTS = '\u001B[?2026;2$y'
const WHITE = '\u001B]11;rgb:ffff/ffff/ffff\u001B\\'
const PAINT = '\u001B[?2026h'
const SERVERS = /[▌>] ?everything/

type Stop = {
  title: string
  words: string
  terminal: TerminalOptions
  /** Moves the program to the screen to show, and may return facts to report with it. */
  show: (terminal: Terminal) => Promise<string[] | void>
  /** Ends programs that do not end with the terminal. */
  after?: () => void
}

/** Matches the sign that a new or changed row has for a moment. */
const NEWS = /[+~]│/

/** Presses keys and waits for their result, and until it is no longer marked as new. */
function showing(keys: readonly Press[], until: Condition): (terminal: Terminal) => Promise<void> {
  return async terminal => {
    await terminal.waitFor(/[▌>] ?Sandbox/)
    for (const key of keys) await press(terminal, key)
    await terminal.waitFor(until)
    await terminal.waitFor(() => !NEWS.test(terminal.screen()))
  }
}

const openServers = showing(['enter', SERVERS], /d doctor/)
/** The last of the sample's recorded nights, which failed. */
const openRun = showing(['4', /Sample: nightly/, 'j', 'enter', /✗ failed/, 'enter'], /▌Run #\d+[^]*Passed +6 of 7/)

const COLOURS: readonly (readonly [words: string, pattern: RegExp])[] = [
  ['bold', /^1$/],
  ['dim', /^2$/],
  ['underlined', /^4$/],
  ['inverse', /^7$/],
  ['30–37', /^3[0-7]$/],
  ['40–47', /^4[0-7]$/],
  ['90–97', /^9[0-7]$/],
  ['100–107', /^10[0-7]$/],
  ['38;5 (one of 256)', /^[34]8;5;\d+$/],
  ['38;2 (24 bits)', /^[34]8;2;\d+;\d+;\d+$/],
]

/** Returns the attributes and colors in the output (SGR). */
function coloursIn(output: string): string {
  const asked = [...output.matchAll(/\u001B\[([\d;]+)m/g)].flatMap(
    ([, codes]) => codes!.match(/[34]8;5;\d+|[34]8;2;\d+;\d+;\d+|\d+/g) ?? [],
  )
  const used = COLOURS.filter(([, pattern]) => asked.some(code => pattern.test(code))).map(([words]) => words)
  return used.length === 0 ? 'none' : used.join(', ')
}

/** Sends keys and reports their cost until the screen shows the result. */
async function cost(terminal: Terminal, what: string, send: () => void, shown: RegExp): Promise<string> {
  const paints = () => terminal.output.split(PAINT).length - 1
  const [bytes, painted, at] = [terminal.bytes, paints(), performance.now()]
  send()
  await terminal.waitFor(shown)
  const milliseconds = Math.round((performance.now() - at) / 50) * 50
  const count = paints() - painted
  return `- ${what}: on the screen after about ${milliseconds} ms, ${terminal.bytes - bytes} bytes in ${count} ${count === 1 ? 'paint' : 'paints'}.`
}

async function openWithReader(terminal: Terminal): Promise<void> {
  await openServers(terminal)
  terminal.type('?')
  await terminal.waitFor('What works here')
}

async function overSlowLine(terminal: Terminal): Promise<string[]> {
  await terminal.waitFor('Latest runs of its suites')
  const opened = `- From the start to the whole first screen: ${terminal.bytes} bytes.`
  terminal.type(MARKS_PAINTS)
  return [
    opened,
    await cost(terminal, 'the filter opens and takes `sand`, typed ahead', () => terminal.type('/sand'), /\/sand/),
    await cost(terminal, '`Esc` leaves it', () => terminal.press('escape'), /Enter open its/),
    await cost(terminal, '`4` opens the runs', () => terminal.type('4'), /▌Reference server/),
    await cost(terminal, '`3` opens the servers', () => terminal.type('3'), /▌everything/),
    await cost(terminal, '`Tab` goes into its detail', () => terminal.press('tab'), /▌everything ─/),
    // The first tab, the overview, names a folder of this machine.
    await cost(terminal, '`]` `]` come to its tools', () => terminal.type(']]'), /\d+ listed/),
  ]
}

const socket = `mcpdeck-tour-${randomBytes(4).toString('hex')}`

const STOPS: readonly Stop[] = [
  {
    title: 'tmux',
    words: 'Now in tmux; the last line is tmux’s.',
    terminal: {
      command: 'tmux',
      args: ['-L', socket, '-f', '/dev/null', 'new-session', RUN, ';', 'set', 'status-right', ''],
      cols: 80,
      rows: 25,
    },
    show: showing(['1'], /\d of 7/),
    after: () => void spawnSync('tmux', ['-L', socket, 'kill-server'], { stdio: 'ignore' }),
  },
  {
    title: 'GNU screen',
    words: 'Findings in GNU screen.',
    terminal: {
      command: 'screen',
      args: ['-U', '-S', socket, '-c', '/dev/null', process.execPath, PROGRAM],
      cols: 80,
      rows: 24,
    },
    show: showing(['5'], /Findings 1 of 16/),
    // Losing its terminal only detaches it.
    after: () => void spawnSync('screen', ['-S', socket, '-X', 'quit'], { stdio: 'ignore' }),
  },
  {
    title: 'TERM=xterm',
    words: 'The doctor of a server, with features of every xterm.',
    terminal: { env: { TERM: 'xterm' } },
    show: showing(['enter', SERVERS, 'enter', /\[Overview\]/, 'd'], /✓ ready/),
  },
  {
    title: 'TERM=linux',
    words: 'Suites on the Linux console, which is not asked for its background or keyboard.',
    terminal: { env: { TERM: 'linux' } },
    show: showing(['4'], /Sample: nightly/),
  },
  {
    title: '16 colours',
    words: 'TERM=xterm-16color: the theme uses the terminal’s 16 colours by number. What visitors of a scenario said.',
    terminal: { env: { TERM: 'xterm-16color' } },
    show: showing(['6', /Sample: weather desk/, 'enter', { times: 3, keys: [']'] }], /\[Metrics\][^]*\d/),
  },
  {
    title: '256 colours, light background',
    words: 'The terminal reports a white background, so the light theme is used.',
    terminal: {},
    show: async terminal => {
      await openRun(terminal)
      const before = terminal.output.length
      terminal.type(WHITE)
      await terminal.waitFor(() => /\u001B\[[\d;]*38;5;/.test(terminal.output.slice(before)))
      await settled(terminal)
      return [`- colours used from then on: ${coloursIn(terminal.output.slice(before))}`]
    },
  },
  {
    title: 'NO_COLOR',
    words: 'The trials of a run. Symbols and words also show what colours show.',
    terminal: { env: { NO_COLOR: '1' } },
    show: async terminal => {
      await openRun(terminal)
      terminal.type(']')
      await terminal.waitFor(/\[Trials/)
    },
  },
  {
    title: '--ascii',
    words: 'Findings with borders and symbols in ASCII.',
    terminal: { args: ['--ascii'], cols: 120, rows: 30 },
    show: showing(['5'], /Findings 1 of 16[^]*Ids and other fields/),
  },
  {
    title: 'TERM=dumb',
    words: 'This terminal cannot move the cursor. mcpdeck says what to do and ends with code 2.',
    terminal: { env: { TERM: 'dumb' } },
    show: async terminal => {
      await terminal.waitForExit()
    },
  },
  {
    title: 'Screen reader',
    words:
      'With `--screen-reader` (here on TERM=dumb) mcpdeck prints plain lines when something changes, without escape sequences.',
    terminal: { env: { TERM: 'dumb' }, args: ['--screen-reader'] },
    show: openWithReader,
  },
  {
    title: '300 ms there and back',
    words: 'Every byte takes 150 ms in each direction. No key waits for a reply of the terminal.',
    terminal: { line: { delayMs: 150 }, cols: 120, rows: 30 },
    show: overSlowLine,
  },
  { title: '60×15', words: 'The smallest size with panes.', terminal: { cols: 60, rows: 15 }, show: openRun },
  {
    title: '59×14',
    words: 'Too small for panes: mcpdeck asks for a larger terminal and continues when it gets one.',
    terminal: { cols: 59, rows: 14 },
    show: async terminal => terminal.waitFor(/60.*15/),
  },
]

async function record(stop: Stop): Promise<string> {
  const { command } = stop.terminal
  if (command !== undefined && !isInstalled(command)) throw new Error(`${command} is needed for the tour of terminals`)
  await using terminal = openOnTheDay({
    cols: 80,
    rows: 24,
    ...stop.terminal,
    env: { COLORTERM: undefined, ...stop.terminal.env },
  })
  try {
    const facts = (await stop.show(terminal)) ?? []
    const screen = await settled(terminal)
    const colours = command === undefined ? [`- colours used: ${coloursIn(terminal.output)}`] : []
    return [`## ${stop.title}`, stop.words, [...facts, ...colours].join('\n'), `\`\`\`text\n${screen}\n\`\`\``]
      .filter(part => part !== '')
      .join('\n\n')
  } finally {
    stop.after?.()
  }
}

await ensureBuilt()
const sections: string[] = []
for (const stop of STOPS) {
  process.stderr.write(`${stop.title}\n`)
  sections.push(await record(stop))
}
const about =
  'The real program in several terminals, recorded by `node scripts/tour/terminals.ts` at 80×24 unless stated.\n' +
  '[screens.md](screens.md) shows other sizes. The clock is fixed and ids are zeros.'
await writeFile(join(root, 'docs/terminals.md'), `# Terminals\n\n${about}\n\n${sections.join('\n\n')}\n`)
