import { describe, expect, it } from 'vitest'
import { laidOut, say } from './prose.ts'

const terminal = (columns: number) => {
  const written: string[] = []
  const write = (text: string | Uint8Array) => written.push(String(text)) > 0
  return { written, stream: { isTTY: true, columns, write } }
}
const { stream: narrow } = terminal(20)

describe('text for people', () => {
  it('breaks between words at the width of the terminal, and nowhere else', () => {
    expect(laidOut('mcpdeck: There is no suite "x". There is: Reference.', narrow)).toBe(
      'mcpdeck: There is no\nsuite "x". There is:\nReference.',
    )
    expect(laidOut('fits', narrow)).toBe('fits')
    expect(laidOut('one two three four five six seven', { ...narrow, isTTY: false })).toBe(
      'one two three four five six seven',
    )
  })

  it('keeps lines, indentation and the blank after a question', () => {
    expect(laidOut('title\n  an indented line that is long\n', narrow)).toBe(
      'title\n  an indented line\n  that is long\n',
    )
    expect(laidOut('This spends credits. Type yes to go on: ', narrow)).toBe(
      'This spends credits.\nType yes to go on: ',
    )
  })

  it('keeps a word whole that is wider than the terminal', () => {
    expect(laidOut('see https://host.example/projects/P/runs/R now', narrow)).toBe(
      'see\nhttps://host.example/projects/P/runs/R\nnow',
    )
  })

  it('counts columns, not characters', () => {
    expect(laidOut('日本語の文 日本語の文 ab', narrow)).toBe('日本語の文\n日本語の文 ab')
  })

  it('ends with a line break', () => {
    const { stream, written } = terminal(80)
    say('Done.', stream)
    expect(written).toEqual(['Done.\n'])
  })
})
