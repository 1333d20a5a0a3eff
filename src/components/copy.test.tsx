import fc from 'fast-check'
import { render } from 'ink-testing-library'
import { expect, test } from 'vitest'
import { strangeText } from '../../test/pty/unasked.ts'
import { ThemeProvider } from '../tui/theme/theme-context.tsx'
import { createTheme } from '../tui/theme/theme.ts'
import { CopyProvider, useCopy } from './copy.tsx'
import { jsonNode } from './json/json-tree.ts'
import { createToasts, ToastsProvider } from './toasts.tsx'
import { anyCharacter } from '../../test/any-character.ts'

const text = fc
  .array(
    fc.oneof(
      fc.string({ unit: anyCharacter }),
      fc.constantFrom(
        '\u001B]52;c;ZXZpbA==\u0007',
        '\r',
        '\n',
        '\r\n',
        '\t',
        '\u009D',
        '\u{E0041}',
        '\u202E',
        'rm -rf\n',
      ),
    ),
  )
  .map(parts => parts.join(''))

/** Renders a component that copies, and returns what reached the clipboard. */
function openCopy() {
  const copied: string[] = []
  let copy: ReturnType<typeof useCopy> = () => undefined
  function Taker() {
    copy = useCopy()
    return null
  }
  const instance = render(
    <ThemeProvider theme={createTheme({ level: 0, ascii: false })}>
      <ToastsProvider toasts={createToasts()}>
        <CopyProvider copy={it => void copied.push(it)}>
          <Taker />
        </CopyProvider>
      </ToastsProvider>
    </ThemeProvider>,
  )
  return { copied, copy: () => copy, close: () => instance.unmount() }
}

function expectText(it: string): void {
  expect(it).not.toMatch(/[\r\u001B]/)
  expect(strangeText(it, 'text')).toEqual([])
}

test('a copied value is one line without control characters; a copied text keeps its lines', () => {
  const { copied, copy, close } = openCopy()
  fc.assert(
    fc.property(text, it => {
      copy()(it, 'Copied.')
      expect(copied.at(-1)).not.toMatch(/[\n\t]/)
      expectText(copied.at(-1)!)
      copy()(it, 'Copied.', 'text')
      expectText(copied.at(-1)!)
      expect(copied.at(-1)!.split('\n')).toHaveLength(it.split('\n').length)
    }),
  )
  close()
})

test('copied JSON is the same data', () => {
  const { copied, copy, close } = openCopy()
  fc.assert(
    fc.property(fc.dictionary(text, text), it => {
      copy()(jsonNode(it, { id: 'x' }).copy!(), 'Copied.', 'text')
      expectText(copied.at(-1)!)
      expect(JSON.parse(copied.at(-1)!)).toEqual(it)
    }),
  )
  close()
})
