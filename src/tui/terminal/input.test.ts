import { PassThrough } from 'node:stream'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createInputDecoder } from './input-decoder.ts'
import { createInput, type InputEvent } from './input.ts'

function decode(...chunks: (string | Uint8Array)[]): InputEvent[] {
  const decoder = createInputDecoder()
  const events = chunks.flatMap(chunk => decoder.push(chunk))
  return [...events, ...decoder.flush()]
}

function names(...chunks: string[]): string[] {
  return decode(...chunks).map(event => (event.type === 'key' ? event.key.name : event.type))
}

test.each([
  ['a', ['a']],
  ['A?:/ ', ['A', '?', ':', '/', 'space']],
  ['jj', ['j', 'j']],
  ['é漢😀', ['é', '漢', '😀']],
  ['\r\n\t\x7f\b', ['enter', 'enter', 'tab', 'backspace', 'backspace']],
  ['\x03\x1a\x00\x1f', ['ctrl+c', 'ctrl+z', 'ctrl+space', 'ctrl+_']],
  ['\x1b', ['escape']],
  ['\x1b\x1b', ['escape', 'escape']],
  ['\x1b\x03\x1b\x1b\x03', ['escape', 'ctrl+c', 'escape', 'escape', 'ctrl+c']],
  ['\x1b\x1b[A', ['escape', 'up']],
  ['\x1bx\x1bX\x1b\r\x1b\x7f', ['alt+x', 'alt+X', 'alt+enter', 'alt+backspace']],
  ['\x1b[A\x1b[B\x1b[C\x1b[D', ['up', 'down', 'right', 'left']],
  ['\x1bOA\x1bOH\x1bOF', ['up', 'home', 'end']],
  ['\x1b[H\x1b[F\x1b[1~\x1b[4~', ['home', 'end', 'home', 'end']],
  ['\x1b[5~\x1b[6~\x1b[3~\x1b[2~', ['pageup', 'pagedown', 'delete', 'insert']],
  ['\x1b[Z', ['shift+tab']],
  ['\x1b[1;5A\x1b[1;2B\x1b[1;3C\x1b[3;5~', ['ctrl+up', 'shift+down', 'alt+right', 'ctrl+delete']],
  ['\x1b[[A\x1bOP\x1b[15~', ['f1', 'f1', 'f5']],
  ['\x1b[5$', ['shift+pageup']],
  ['\x1b[', ['alt+[']],
  ['\x1bO', ['alt+O']],
  ['\x1b[27u\x1b[27ux', ['escape', 'escape', 'x']],
  ['\x1b[99;5u\x1b[97;3u\x1b[97:65;4u\x1b[32;5u', ['ctrl+c', 'alt+a', 'alt+A', 'ctrl+space']],
  ['\x1b[13;2u\x1b[13;3u\x1b[9;2u\x1b[105;5u\x1b[127;2u', ['enter', 'alt+enter', 'shift+tab', 'tab', 'backspace']],
  ['\x1b[91;5u\x1b[47;5u\x1b[99;6u', ['escape', 'ctrl+_', 'ctrl+c']],
  // The Cyrillic letter с is on the key of c; without the Latin key in the report, the shortcut is unknown.
  ['\x1b[1089::99;5u\x1b[1089;5u\x1b[1089::99;3u', ['ctrl+c', 'reply', 'alt+c']],
  // Num Lock and Caps Lock do not count as modifiers, and Super does.
  ['\x1b[1;129A\x1b[1;69B\x1b[5;193~\x1b[99;69u\x1b[97;9u', ['up', 'ctrl+down', 'pageup', 'ctrl+c', 'reply']],
  ['\x1b[57400u\x1b[57414u\x1b[57419u\x1b[57421;5u\x1b[57358u', ['1', 'enter', 'up', 'ctrl+pageup', 'reply']],
])('the bytes %j are read as %j', (bytes, expected) => {
  expect(names(bytes)).toEqual(expected)
})

test('pastes, focus and mouse reports are separate events', () => {
  expect(decode('\x1b[200~two\nlines \x1b[A\x1b[201~x\x1b[I\x1b[O')).toEqual([
    { type: 'paste', text: 'two\nlines \x1b[A' },
    { type: 'key', key: { name: 'x', sequence: 'x' } },
    { type: 'focus', focused: true },
    { type: 'focus', focused: false },
  ])
  const held = { shift: false, alt: false, ctrl: false }
  expect(decode('\x1b[<0;3;5M\x1b[<0;3;5m\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<52;200;9M')).toEqual([
    { type: 'mouse', action: 'press', button: 'left', row: 4, column: 2, ...held },
    { type: 'mouse', action: 'release', button: 'left', row: 4, column: 2, ...held },
    { type: 'mouse', action: 'wheel-up', button: 'none', row: 0, column: 0, ...held },
    { type: 'mouse', action: 'wheel-down', button: 'none', row: 0, column: 0, ...held },
    { type: 'mouse', action: 'move', button: 'left', row: 8, column: 199, shift: true, alt: false, ctrl: true },
  ])
})

test('answers of the terminal are not read as keys', () => {
  const replies = [
    '\x1b[?2026;2$y',
    '\x1b[?62;22c',
    '\x1b]11;rgb:1e1e/1e1e/1e1e\x1b\\',
    '\x1bP>|term 1.0\x1b\\',
    '\x1b[8;24;80t',
  ]
  expect(decode(replies.join('') + 'q')).toEqual([
    ...replies.map(sequence => ({ type: 'reply', sequence })),
    { type: 'key', key: { name: 'q', sequence: 'q' } },
  ])
})

const piece = fc.oneof(
  fc.constantFrom(...'aZ?: \t\x7f\x03', 'é', '漢', '😀', '👩‍👧', '\x1b[A', '\x1b[1;5C', '\x1bOP', '\x1b[[A', '\x1b[3~'),
  fc.constantFrom(
    '\x1b[I',
    '\x1b[O',
    '\x1b[<0;10;20M',
    '\x1b[<35;1;1m',
    '\x1bx',
    '\x1b\x1b',
    '\x1b[?2026;2$y',
    '\x1b[5$',
  ),
  fc.constantFrom(
    '\x1b]11;rgb:0/0/0\x07',
    '\x1bP1$r0m\x1b\\',
    '\x1b[200~pasted ä\r\x1b[Z\x1b[201~',
    '\x1b[200~\x1b[201~',
  ),
  fc.constantFrom('\x1b[', '\x1bO', '\x1b]', '\x1bP', '\x1b[9', '\x1b[<1;', '\x1b[200', '\x1b[201~', '\x9b', '\x00'),
)

test('several lines at once are a burst with its keys, even if they come in chunks; a single line is only keys', () => {
  const keys = (text: string) => names(text.replaceAll('\n', '\r'))
  expect(names('first\nsecond\n')).toEqual(['burst'])
  expect(decode('first\r', 'second\r\nthird')).toMatchObject([
    ...keys('first').map(name => ({ key: { name } })),
    { key: { name: 'enter' } },
    { type: 'burst', text: 'second\r\nthird' },
  ])
  expect(decode('a\nb', 'c\n', '\x1b[Ad')).toMatchObject([
    { type: 'burst', text: 'a\nbc\n', keys: ['a', 'enter', 'b', 'c', 'enter'].map(name => ({ name })) },
    { key: { name: 'up' } },
    { key: { name: 'd' } },
  ])
  for (const typed of ['abc\r', '\rabc', 'jj', 'a\x03b\r', 'q\r\n']) expect(names(typed)).toEqual(names(...typed))
  expect(names('\x03a\rb')).toEqual(['ctrl+c', 'burst'])
})

test('a focus or mouse report that arrives in pieces, one of them late, types nothing', () => {
  const report = fc.constantFrom('\x1b[I', '\x1b[O', '\x1b[<0;10;20M', '\x1b[<35;1;1m', '\x1b[<64;120;40M')
  fc.assert(
    fc.property(report, fc.uniqueArray(fc.nat(12)), fc.nat(5), (sequence, cuts, late) => {
      const decoder = createInputDecoder()
      const ends = [...cuts.filter(at => at > 0 && at < sequence.length).toSorted((a, b) => a - b), sequence.length]
      let from = 0
      const events = ends.flatMap((end, piece) => {
        const pushed = decoder.push(sequence.slice(from, end))
        from = end
        // The pause is longer than the wait for the rest of a sequence.
        return end === sequence.length || piece !== late ? pushed : [...pushed, ...decoder.flush()]
      })
      const typed = events.filter(event => event.type === 'key' && !['escape', 'alt+['].includes(event.key.name))
      expect(typed).toEqual([])
      expect(decoder.push('q')).toMatchObject([{ key: { name: 'q' } }])
    }),
  )
})

test('text that is typed after Esc is kept', () => {
  const decoder = createInputDecoder()
  const typed = [...decoder.push('\x1b'), ...decoder.flush(), ...decoder.push('['), ...decoder.flush()]
  expect([...typed, ...decoder.push('x')].map(event => event.type === 'key' && event.key.name)).toEqual([
    'escape',
    '[',
    'x',
  ])
})

test('splitting the bytes into chunks does not change the events', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), fc.array(fc.integer({ min: 1, max: 7 })), (pieces, sizes) => {
      const bytes = Buffer.from(pieces.join(''))
      const chunks: Uint8Array[] = []
      let at = 0
      for (let index = 0; at < bytes.length; index++) {
        const size = sizes[index % Math.max(1, sizes.length)] ?? 1
        chunks.push(bytes.subarray(at, at + size))
        at += size
      }
      expect(decode(...chunks)).toEqual(decode(bytes))
    }),
    { numRuns: 2000 },
  )
})

test('no input of the terminal is lost, and none throws', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), bytes => {
      const decoder = createInputDecoder()
      decoder.push(bytes)
      decoder.flush()
      decoder.flush()
      expect(decoder.push('q').at(-1)).toEqual({ type: 'key', key: { name: 'q', sequence: 'q' } })
    }),
  )
})

function setUp() {
  const raw: boolean[] = []
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: (on: boolean) => raw.push(on) })
  const input = createInput(stdin)
  const batches: InputEvent[][] = []
  const heard = (): Promise<void> => new Promise(resolve => void (once = resolve))
  let once: () => void = () => undefined
  input.onEvents(events => {
    batches.push(events)
    once()
  })
  return { stdin, input, raw, batches, heard }
}

test('a burst is one batch, and raw mode is on only between start and stop', async () => {
  const { stdin, input, raw, batches, heard } = setUp()
  input.start()
  const first = heard()
  stdin.write('jj')
  await first
  expect(batches.map(batch => batch.map(event => event.type === 'key' && event.key.name))).toEqual([['j', 'j']])
  input.stop()
  input.stop()
  expect(raw).toEqual([true, false])
})

test('Esc alone is read as a key after a short pause, and a sequence in two parts as one key', async () => {
  const { stdin, input, batches, heard } = setUp()
  input.start()
  const escape = heard()
  stdin.write('\x1b')
  await escape
  const up = heard()
  stdin.write('\x1b[1;')
  stdin.write('5A')
  await up
  expect(batches).toEqual([
    [{ type: 'key', key: { name: 'escape', sequence: '\x1b' } }],
    [{ type: 'key', key: { name: 'ctrl+up', sequence: '\x1b[1;5A' } }],
  ])
  input.stop()
})
