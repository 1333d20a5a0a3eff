import { expect, test } from 'vitest'
import { openTerminal } from './terminal.ts'
import { strangeText, watchUnasked, type Purpose } from './unasked.ts'

/** Returns the unasked output of a program that prints this text with `printf`. */
async function unaskedOf(text: string, purpose: Purpose): Promise<string[]> {
  await using terminal = openTerminal({ command: 'printf', args: ['%b', text] })
  const unasked = watchUnasked(terminal, purpose)
  await terminal.waitForExit()
  return unasked()
}

test.each([
  ['a clipboard', '\\033]52;c;ZXZpbA==\\007', 'clipboard 52;c;ZXZpbA=='],
  ['a clipboard by C1', '\\0302\\023552;c;ZXZpbA==\\0302\\0234', 'clipboard 52;c;ZXZpbA=='],
  ['a title', '\\033]0;evil\\033\\\\', 'title evil'],
  ['a mode', '\\033[?1003h', 'mode ?1003h'],
  ['a link', '\\033]8;;http://evil.example\\033\\\\x', 'link 8;;http://evil.example'],
  ['a notice', '\\033]777;notify;evil\\007', 'notice 777;notify;evil'],
  ['a reset', '\\033c', 'reset RIS'],
  ['a report', '\\033[6n', 'report n'],
])('reports %s in what was written and in what the emulator did', async (_, text, effect) => {
  for (const purpose of ['data', 'text'] as const) {
    const unasked = await unaskedOf(text, purpose)
    expect(unasked.length).toBeGreaterThan(1)
    expect(unasked).toContain(JSON.stringify(effect))
  }
})

test('names what the terminal emulator does not support', async () => {
  expect(await unaskedOf('\\033[8;1;1t', 'text')).toEqual([String.raw`"\u001b[8;1;1t"`])
})

test.each(['\u00AD', '\u180E', '\u3164', '\u202E', '\u200B', '\u2028', '\u{E0041}', '\u007F', '\uDC00', '\u009B'])(
  'reports invisible characters',
  character => {
    for (const purpose of ['data', 'text', 'dashboard'] as const)
      expect(strangeText(`a${character}b`, purpose)).toHaveLength(1)
  },
)

test('the check accepts ordinary text and the sequences allowed for its purpose', async () => {
  expect(await unaskedOf('{"a":"gr\u00FC\u00DFe \u6F22"}\\n', 'data')).toEqual([])
  expect(await unaskedOf('\\r3 runs\\033[K\\n\\033[31mred\\033[m\\n', 'text')).toEqual([])
  expect(await unaskedOf('\\033[?1049h\\033[2J\\033[3;4Hx\\033]2;mcpdeck\\033\\\\\\033[?1049l', 'dashboard')).toEqual(
    [],
  )
})

test('waits for the end of a sequence that arrives in parts', () => {
  const terminal = { output: 'a\u001B[3', effects: [], exit: undefined }
  const unasked = watchUnasked(terminal, 'text')
  expect(unasked()).toEqual([])
  terminal.output += '1mred\u001B[m'
  expect(unasked()).toEqual([])
  terminal.output += '\u001B]0;'
  expect(unasked()).toEqual([])
  terminal.output += 'evil\u0007'
  expect(unasked()).toHaveLength(1)
})
