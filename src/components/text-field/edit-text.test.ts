import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cursorAt, edit, editedText, insert, withText, type EditAction, type EditedText } from './edit-text.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const ACTIONS: readonly EditAction[] = [
  'left',
  'right',
  'wordLeft',
  'wordRight',
  'lineStart',
  'lineEnd',
  'erase',
  'delete',
  'killWordLeft',
  'killWordRight',
  'killToStart',
  'killToEnd',
  'yank',
]

const PIECES = [
  'a',
  'Z',
  ' ',
  '\n',
  '-',
  'é',
  'e\u0301',
  '\u0301',
  '漢',
  '👩‍👩‍👧',
  '🇦🇹',
  '👍🏽',
  '\u200d',
  '\ud83d',
  'ไทย',
  '한',
  '\t',
]
const aText = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.array(fc.constantFrom(...PIECES)).map(pieces => pieces.join('')),
)
const aState = fc.tuple(aText, fc.nat()).map(([text, at]) => cursorAt(editedText(text), at % (text.length + 1)))
const aStep = fc.oneof(
  fc.constantFrom(...ACTIONS),
  aText.map(added => ({ added })),
)

/** Returns the offsets at which a character begins, and the end. */
const bounds = (text: string): number[] => [
  ...[...new Intl.Segmenter().segment(text)].map(({ index }) => index),
  text.length,
]

/** Returns `ab|cd` as a state whose cursor is at the bar. */
function at(marked: string): EditedText {
  const cursor = marked.indexOf('|')
  return { ...editedText(marked.replace('|', '')), cursor }
}
const shown = ({ text, cursor }: EditedText): string => `${text.slice(0, cursor)}|${text.slice(cursor)}`
const after = (marked: string, ...actions: EditAction[]): string => shown(actions.reduce(edit, at(marked)))

describe('editing a text', () => {
  test.each<[EditAction, string, string]>([
    ['left', 'añ|b', 'a|ñb'],
    ['left', 'x👩‍👩‍👧|', 'x|👩‍👩‍👧'],
    ['right', '|e\u0301x', 'e\u0301|x'],
    ['right', '漢|字', '漢字|'],
    ['erase', 'ab|c', 'a|c'],
    ['erase', '🇦🇹🇩🇪|', '🇦🇹|'],
    ['erase', '|a', '|a'],
    ['delete', 'a|bc', 'a|c'],
    ['delete', '|👍🏽!', '|!'],
    ['delete', 'a|', 'a|'],
    ['wordLeft', 'one two-three|', 'one two-|three'],
    ['wordLeft', 'one  |', '|one  '],
    ['wordRight', '|one two', 'one| two'],
    ['wordRight', 'one| two', 'one two|'],
    ['killWordLeft', 'run --url=x|', 'run |'],
    ['killWordRight', 'a |one two', 'a | two'],
    ['lineStart', 'one\ntw|o', 'one\n|two'],
    ['lineEnd', 'o|ne\ntwo', 'one|\ntwo'],
    ['killToStart', 'one\ntw|o', 'one\n|o'],
    ['killToStart', 'one\n|two', 'one|two'],
    ['killToEnd', 'o|ne\ntwo', 'o|\ntwo'],
    ['killToEnd', 'one|\ntwo', 'one|two'],
  ])('the action %s turns %s into %s', (action, before, wanted) => {
    expect(after(before, action)).toBe(wanted)
  })

  test('text that was cut is inserted again at the cursor', () => {
    expect(after('one two|', 'killWordLeft', 'lineStart', 'yank')).toBe('two|one ')
    expect(after('one two|', 'yank')).toBe('one two|')
  })

  test('after any action the cursor is between characters, and only text beside it has changed', () => {
    fc.assert(
      fc.property(aState, fc.array(aStep, { maxLength: 12 }), (start, steps) => {
        let state = start
        for (const step of steps) {
          const before = state
          state = typeof step === 'string' ? edit(state, step) : insert(state, step.added)
          expect(bounds(state.text)).toContain(state.cursor)
          const gone = before.text.length - state.text.length
          if (typeof step === 'string' && gone > 0) {
            const from = [before.cursor, before.cursor - gone].find(
              start => before.text.slice(0, start) + before.text.slice(start + gone) === state.text,
            )
            expect(from, 'one piece beside the cursor is gone').toBeDefined()
          } else if (typeof step === 'string' && step !== 'yank') expect(state.text).toBe(before.text)
        }
      }),
    )
  })

  test('moving right and then left over a character returns the cursor to where it was', () => {
    fc.assert(
      fc.property(aState, state => {
        const places = bounds(state.text)
        const place = places.indexOf(state.cursor)
        expect(edit(state, 'right').cursor).toBe(places[Math.min(place + 1, places.length - 1)])
        expect(edit(state, 'left').cursor).toBe(places[Math.max(place - 1, 0)])
      }),
    )
  })

  test('inserted text is before the cursor, and the rest is unchanged', () => {
    fc.assert(
      fc.property(aState, aText, (state, added) => {
        const now = insert(state, added)
        expect(now.text).toBe(state.text.slice(0, state.cursor) + added + state.text.slice(state.cursor))
        expect(now.cursor).toBeGreaterThanOrEqual(state.cursor + added.length)
      }),
    )
  })

  test('a text that is set from outside keeps the cursor within it', () => {
    fc.assert(
      fc.property(aState, aText, (state, text) => {
        expect(bounds(text)).toContain(withText(state, text).cursor)
      }),
    )
  })
})
