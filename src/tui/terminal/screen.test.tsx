import { Box, render, Text, useCursor, useWindowSize } from 'ink'
import type { ReactNode } from 'react'
import { expect, onTestFinished, test, vi } from 'vitest'
import { toAscii } from './ascii.ts'
import { GONE_MS, type TerminalStream } from './output.ts'
import { createScreen, type Screen, type ScreenOptions } from './screen.ts'
import { Emulator, type EmulatorOptions } from '../../../test/terminal/emulator.ts'

function setUp(options: ScreenOptions = {}, size: Partial<EmulatorOptions> = {}) {
  const emulator = new Emulator({ columns: 120, rows: 40, modernWidths: true, ...size })
  const screen = createScreen(emulator, options)
  screen.enter()
  return { emulator, screen }
}

async function show(screen: Screen, emulator: Emulator, lines: string[]): Promise<string> {
  await emulator.drawn()
  const before = emulator.sent.length
  screen.stdout.write(lines.join('\n'))
  await Promise.resolve()
  await emulator.drawn()
  return emulator.sent.slice(before)
}

function renderOn(tree: ReactNode, stdout: NodeJS.WritableStream, debug = false) {
  return render(tree, {
    stdout,
    debug,
    alternateScreen: false,
    incrementalRendering: false,
    patchConsole: false,
    exitOnCtrlC: false,
    maxFps: 120,
    interactive: true,
  })
}

function Window({ selected }: { selected: number }) {
  const { columns, rows } = useWindowSize()
  return (
    <Box width={columns} height={rows} flexDirection="column">
      <Text bold color="cyan">
        Servers 漢字 {columns}×{rows}
      </Text>
      <Box borderStyle="round" flexDirection="column" flexGrow={1}>
        {['one', 'two 😀 and more', 'three é e\u0301'].map((name, index) => (
          <Text key={name} inverse={index === selected}>
            {name}
          </Text>
        ))}
      </Box>
    </Box>
  )
}

test('an Ink tree shows the text that Ink composed, even after an update and a resize', async () => {
  const { emulator, screen } = setUp({}, { columns: 40, rows: 10 })
  const composed = new Emulator({ columns: 40, rows: 10 })
  const app = renderOn(<Window selected={0} />, screen.stdout)
  const reference = renderOn(<Window selected={0} />, composed, true)
  const expectSame = async (): Promise<void> => {
    await app.waitUntilRenderFlush()
    await reference.waitUntilRenderFlush()
    await emulator.drawn()
    const frame = composed.sent.slice(composed.sent.lastIndexOf('Servers'))
    const plain = frame
      .replaceAll(/\x1b\[[\d;]*m/g, '')
      .split('\n')
      .map(line => line.trimEnd())
    expect(emulator.text()).toEqual(plain)
  }
  await expectSame()
  app.rerender(<Window selected={1} />)
  reference.rerender(<Window selected={1} />)
  await expectSame()
  composed.resizeTo(30, 8)
  emulator.resizeTo(30, 8)
  await expectSame()
  expect(emulator.text()[0]).toBe('Servers 漢字 30×8')
  app.unmount()
  reference.unmount()
})

test('moving a highlighted row in a frame of 40 rows costs less than 300 bytes', async () => {
  const { emulator, screen } = setUp()
  const frame = (selected: number): string[] =>
    Array.from({ length: 40 }, (_, row) => {
      const text =
        `│ run-${String(row).padStart(5, '0')}  finished  12 cases  3 failed  gpt-5  2 h ago`.padEnd(118) + '│'
      return row === selected ? `\x1b[7m${text}\x1b[27m` : text
    })
  await show(screen, emulator, frame(11))
  const sent = await show(screen, emulator, frame(12))
  expect(emulator.cell(12, 5).isInverse()).toBeTruthy()
  expect(emulator.cell(11, 5).isInverse()).toBeFalsy()
  expect(Buffer.byteLength(sent)).toBeLessThan(300)
  expect(await show(screen, emulator, frame(12))).toBe('')
})

test('moving a row on a muted background writes no bytes for invisible changes of its blanks', async () => {
  const { emulator, screen } = setUp()
  const muted = (text: string) => `\x1b[38;5;246m${text}\x1b[39m`
  const frame = (selected: number): string[] =>
    [1, 2].map(row => {
      const text = ` \x1b[31m ✗ failed \x1b[39m ${'case'.padEnd(30)} ${muted(`${row}/10`)} ${muted('  5ms')} `
      return row === selected ? `\x1b[48;5;237m${text}\x1b[49m` : text
    })
  await show(screen, emulator, frame(1))
  const plain = '\x1b[mcase\x1b[27X\x1b[44G'
  expect(await show(screen, emulator, frame(2))).toBe(
    `\x1b[1H  \x1b[31m✗ failed  ${plain}\x1b[38;5;246m1/10   5ms ` +
      // The end of the row is written first: its color is that of the row before.
      `\x1b[2;44H\x1b[48;5;237m2/10   5ms \r  \x1b[31m✗ failed  \x1b[39mcase${' '.repeat(27)}`,
  )
})

test('the end of a row stays in place if a grapheme before it is drawn too wide', async () => {
  const { emulator, screen } = setUp({}, { columns: 12, modernWidths: false })
  const muted = (text: string) => `\x1b[38;5;246m${text}\x1b[39m`
  await show(screen, emulator, [muted('one'), `x👩‍👩‍👧${muted('two')}`])
  expect([3, 4, 5].map(column => emulator.cell(1, column).getChars()).join('')).toBe('two')
})

test('only changed cells are written', async () => {
  const { emulator, screen } = setUp()
  await show(screen, emulator, ['count: 1', 'unchanged', 'ab漢cd'])
  expect(await show(screen, emulator, ['count: 2', 'unchanged', 'ab漢cd'])).toBe('\x1b[1;8H2')
  expect(await show(screen, emulator, ['count: 2', 'unchanged', 'ab字cd'])).toBe('\x1b[3;3H字')
  expect(await show(screen, emulator, ['count: 2', 'un', 'ab字cd'])).toBe('\x1b[2;3H\x1b[K')
})

test('only the SGR sequences and links of a frame reach the terminal', async () => {
  const { emulator, screen } = setUp()
  const hostile = [
    'a\x1b]52;c;aGVsbG8=\x07b\x1b]0;owned\x1b\\c',
    'a\x1b[2Jb\x1b[Hc\x1b[6n\x1b[?1049l\x1bcd\x1b7',
    'a\x9b2Jb\x9d52;c;aGVsbG8=\x9cc\x90q\x9cd\x85\x84e',
    'a\rb\x08c\x07d\x0ee\x7ff\u202eg\u2066h',
    'a\x1bP+q544e\x1b\\b\x1b_G\x1b\\c\x1b^x\x1b\\d\x1bXy\x1b\\e',
    'a\x1b]8;;https://example.test/\x1b]52;c;AAAA\x07b',
    'unfinished \x1b]52;c;aGVs',
    'unfinished \x1b[12',
  ]
  const sent = await show(screen, emulator, hostile)
  const text = emulator.text()
  expect(text.slice(0, 5)).toEqual(['abc', 'abcd', 'abcde', 'abcdefgh', 'abcde'])
  expect(sent).not.toMatch(/52;c|owned|\x1bc|\x1b7|\x1bP|\x1b_|\x07|\x0e|[\x80-\x9f]|\x1b\[6n|1049/)
  const rest = sent.replaceAll(/\x1b\[[\d;]*[mHKGCDAB]|\x1b\]8;[^;]*;[\x21-\x7e]*\x1b\\/g, '')
  expect(rest).not.toContain('\x1b')
})

test('links are kept and closed', async () => {
  const { emulator, screen } = setUp()
  const sent = await show(screen, emulator, ['\x1b]8;id=1;https://example.test/\x1b\\here\x1b]8;;\x1b\\ there'])
  expect(sent).toContain('\x1b]8;id=1;https://example.test/\x1b\\here')
  expect(sent).toMatch(/\x1b\]8;;\x1b\\ ?there$/)
})

test('a frame larger than the screen is cut, and its last cell does not scroll', async () => {
  const { emulator, screen } = setUp({}, { columns: 10, rows: 3 })
  await show(screen, emulator, ['0123456789', 'abcdefghijk', '0123456789xyz', 'below'])
  expect(emulator.text()).toEqual(['0123456789', 'abcdefghij', '0123456789'])
  expect(emulator.terminal.buffer.active.baseY).toBe(0)
})

test('a region is above the frame and repaints independently', async () => {
  const { emulator, screen } = setUp({}, { columns: 20, rows: 5 })
  await show(screen, emulator, ['漢漢漢漢', '....................'])
  const region = screen.region('list', { row: 0, column: 1, width: 4, height: 2 })
  region.paint(['\x1b[1mAB\x1b[m', '漢x'])
  await emulator.drawn()
  expect(emulator.text().slice(0, 2)).toEqual([' AB   漢', '.漢x ...............'])
  const before = emulator.sent.length
  region.paint(['\x1b[1mAB\x1b[m', '漢y'])
  expect(emulator.sent.slice(before)).toBe('\b\by')
  region.close()
  await emulator.drawn()
  expect(emulator.text().slice(0, 2)).toEqual(['漢漢漢漢', '....................'])
})

test('characters are replaced in frames and in regions', async () => {
  const { emulator, screen } = setUp({ spell: toAscii }, { columns: 20, rows: 5 })
  await show(screen, emulator, ['“漢” × 3…', 'Servers › é'])
  const region = screen.region('list', { row: 1, column: 10, width: 4, height: 1 })
  region.paint(['→ —'])
  await emulator.drawn()
  expect(emulator.text().slice(0, 2)).toEqual(['"漢" x 3~', 'Servers > > -'])
})

test('several regions are written at once', async () => {
  const { emulator, screen } = setUp()
  await emulator.drawn()
  let writes = 0
  const write = emulator._write.bind(emulator)
  emulator._write = (chunk, encoding, done) => {
    writes++
    write(chunk, encoding, done)
  }
  screen.batch(() => {
    screen.region('a', { row: 0, column: 0, width: 5, height: 1 }).paint(['one'])
    screen.region('b', { row: 3, column: 0, width: 5, height: 1 }).paint(['two'])
  })
  expect(writes).toBe(1)
})

test('a blocked connection gets only the newest frame', async () => {
  const { emulator, screen } = setUp({}, { highWaterMark: 1 })
  const pending: (() => void)[] = []
  const chunks: string[] = []
  await emulator.drawn()
  emulator._write = (chunk, _encoding, done) => {
    chunks.push(String(chunk))
    pending.push(() => done())
  }
  for (const text of ['one', 'two', 'three']) {
    screen.stdout.write(text)
    await Promise.resolve()
  }
  expect(chunks.join('')).toContain('one')
  expect(chunks.join('')).not.toContain('t')
  while (pending.length > 0) {
    pending.shift()?.()
    await new Promise(resolve => setImmediate(resolve))
  }
  expect(chunks.join('')).toContain('three')
  expect(chunks.join('')).not.toContain('two')
})

test('a long paint is sent as one synchronized update if the terminal supports that', async () => {
  const { emulator, screen } = setUp({ askSynchronized: true })
  expect(emulator.sent).toContain('\x1b[?2026$p')
  const filled = (letter: string) => new Array<string>(20).fill(letter.repeat(100))
  expect(await show(screen, emulator, filled('a'))).not.toContain('\x1b[?2026')
  expect(screen.reply('\x1b[?2026;2$y')).toBe(true)
  expect(screen.reply('\x1b[?1;2c')).toBe(false)
  expect(await show(screen, emulator, filled('b'))).toMatch(/^\x1b\[\?2026h[^]*b\x1b\[\?2026l$/)
  expect(await show(screen, emulator, [...filled('b').slice(1), 'short'])).not.toContain('\x1b[?2026')
})

function Field() {
  const { setCursorPosition } = useCursor()
  setCursorPosition({ x: 5, y: 1 })
  return (
    <Box flexDirection="column">
      <Text>name</Text>
      <Text>value</Text>
      <Text>end</Text>
    </Box>
  )
}

test('the cursor is shown where Ink places it', async () => {
  const { emulator, screen } = setUp()
  const app = renderOn(<Field />, screen.stdout)
  await app.waitUntilRenderFlush()
  await emulator.drawn()
  const { cursorX, cursorY } = emulator.terminal.buffer.active
  expect({ cursorX, cursorY, visible: emulator.isCursorVisible }).toEqual({ cursorX: 5, cursorY: 1, visible: true })
  app.unmount()
})

test('nothing is written after leaving, and entering again paints everything', async () => {
  const { emulator, screen } = setUp({}, { columns: 20, rows: 4 })
  await show(screen, emulator, ['one'])
  screen.leave()
  await emulator.drawn()
  expect(emulator.terminal.buffer.active.type).toBe('normal')
  expect(await show(screen, emulator, ['two'])).toBe('')
  screen.enter()
  await emulator.drawn()
  expect(emulator.text()[0]).toBe('two')
})

test('a snapshot that is painted on another screen shows the same', async () => {
  const { emulator, screen } = setUp({}, { columns: 20, rows: 4 })
  await show(screen, emulator, ['\x1b[31mred\x1b[m 漢', '  \x1b[1;7mbold  \x1b[m'])
  const other = setUp({}, { columns: 20, rows: 4 })
  await show(other.screen, other.emulator, screen.snapshot())
  expect(other.emulator.text()).toEqual(emulator.text())
  expect(other.emulator.cell(1, 6).isInverse()).toBeTruthy()
  expect(screen.bytes).toBe(Buffer.byteLength(emulator.sent))
})

test('a throttled connection gets the first change at once and the result of the others after the pause', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent: string[] = []
  const screen = createScreen({
    columns: 40,
    rows: 10,
    writable: true,
    writableLength: 0,
    write: text => sent.push(text) > 0,
    on: () => undefined,
    off: () => undefined,
  })
  const show = async (count: number): Promise<string | undefined> => {
    screen.stdout.write(`count: ${count}`)
    await Promise.resolve()
    return sent.at(-1)?.at(-1)
  }
  screen.enter()
  expect(await show(1)).toBe('1')
  screen.setPause(500)
  vi.advanceTimersByTime(500)
  expect(await show(2)).toBe('2')
  const painted = sent.length
  expect(await show(3)).toBe('2')
  expect(await show(4)).toBe('2')
  vi.advanceTimersByTime(499)
  expect(sent).toHaveLength(painted)
  vi.advanceTimersByTime(1)
  expect(sent).toHaveLength(painted + 1)
  expect(sent.at(-1)).toMatch(/4$/)
  expect(await show(5)).toBe('4')
  screen.setPause(0)
  expect(sent.at(-1)).toMatch(/5$/)
})

test('a terminal that is behind gets nothing until it has caught up, and then only the newest frame', async () => {
  const { screen, sent, waiting } = behind()
  screen.enter()
  const painted = sent.length
  for (const count of [1, 2, 3]) {
    screen.stdout.write(`count: ${count}`)
    // A wait for the frame, such as that of the next key, does not wait for the terminal.
    await new Promise<void>(resolve => void screen.stdout.write('', () => resolve()))
  }
  expect(sent).toHaveLength(painted)
  for (const take of waiting.splice(0)) take()
  expect(sent).toHaveLength(painted + 1)
  expect(sent.at(-1)).toMatch(/count: 3$/)
})

test('a terminal that accepts nothing for half an hour counts as gone, and one that accepts a little does not', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const onGone = vi.fn<() => void>()
  const { screen, waiting } = behind({ onGone })
  screen.enter()
  screen.control('more')
  vi.advanceTimersByTime(GONE_MS - 1)
  waiting.shift()?.()
  vi.advanceTimersByTime(GONE_MS - 1)
  expect(onGone).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1)
  expect(onGone).toHaveBeenCalledTimes(1)
})

test('a terminal that has accepted everything may stay silent for any time', () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const onGone = vi.fn<() => void>()
  const { screen, waiting } = behind({ onGone })
  screen.enter()
  while (waiting.length > 0) waiting.shift()?.()
  vi.advanceTimersByTime(3 * GONE_MS)
  expect(onGone).not.toHaveBeenCalled()
})

/** Creates a screen on a terminal that accepts output only when it is told to. */
function behind(options: ScreenOptions = {}) {
  const sent: string[] = []
  const waiting: (() => void)[] = []
  let untaken = 0
  const stream: TerminalStream = {
    columns: 40,
    rows: 10,
    writable: true,
    get writableLength() {
      return untaken
    },
    write(text, done) {
      sent.push(text)
      untaken += text.length
      waiting.push(() => {
        untaken -= text.length
        done?.()
      })
      return true
    },
    on: () => undefined,
    off: () => undefined,
  }
  return { screen: createScreen(stream, options), sent, waiting }
}

test('the background is requested before it is changed, so that the answer is the original color', async () => {
  const { emulator, screen } = setUp({ askBackground: true })
  screen.setGround({ ground: '#ffffff', text: '#1f2328' })
  screen.leave()
  screen.enter()
  await emulator.drawn()
  await screen.taken()
  const again = emulator.sent.slice(emulator.sent.lastIndexOf('\x1b]111'))
  expect(again.indexOf('\x1b]11;?')).toBeGreaterThan(-1)
  expect(again.indexOf('\x1b]11;#ffffff')).toBeGreaterThan(again.indexOf('\x1b]11;?'))
})
