import { expect, test } from 'vitest'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import { chooseHints } from './footer.tsx'

function hinted(key: string, label: string, hint: NonNullable<ActiveBinding['hint']>): ActiveBinding {
  return { keys: [key], label, hint, name: label, title: 'Test', scope: 'screen', unavailable: undefined }
}
const bindings = [
  hinted('a', 'new suite', true),
  hinted('/', 'filter', 'later'),
  hinted('enter', 'open', 'first'),
  hinted('R', 'rerun failed', true),
  hinted('m', 'something that takes very many columns', true),
  hinted('n', 'new run', true),
  hinted('?', 'help', 'end'),
  hinted(':', 'palette', 'spare'),
  hinted('q', 'quit', 'end'),
]
const at = (width: number) => {
  const { left, right } = chooseHints(bindings, width)
  return [left, right].map(hints => hints.map(({ label }) => label).join(', '))
}

test('hints are ordered by importance, and a hint that is too long makes room for the next', () => {
  expect(at(200)).toEqual([
    'open, new suite, rerun failed, something that takes very many columns, new run, filter',
    'help, palette, quit',
  ])
  expect(at(80)).toEqual(['open, new suite, rerun failed, new run', 'help, palette, quit'])
  // The palette yields to the hints of the place; help and quitting always stay.
  expect(at(70)).toEqual(['open, new suite, rerun failed, new run', 'help, quit'])
  expect(at(20)).toEqual(['', 'help, quit'])
})

test('the key to leave is always shown', () => {
  const { left, right } = chooseHints([...bindings, hinted('escape', 'cancel', true)], 32)
  expect([...left, ...right].map(({ label }) => label)).toEqual(['cancel', 'help', 'quit'])
  const wide = chooseHints([...bindings, hinted('escape', 'cancel', true)], 200)
  expect(wide.left.map(({ label }) => label).slice(-2)).toEqual(['cancel', 'filter'])
})

test('unavailable keys take no room', () => {
  const bound = bindings.map(binding => ({ ...binding, unavailable: binding.keys[0] === 'R' ? 'Why' : undefined }))
  expect(chooseHints(bound, 80).left.map(({ label }) => label)).not.toContain('rerun failed')
})
