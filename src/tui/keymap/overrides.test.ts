import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decodeKey } from '../terminal/key-decoder.ts'
import { allBindings } from '../../app/shell/all-bindings.ts'
import { bindingsOf, type Bindings } from './binding.ts'
import { isKeyName } from './key-names.ts'
import { applyOverrides } from './overrides.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const app = bindingsOf().app('app', 'App', {
  interrupt: { keys: ['ctrl+c'], label: 'leave' },
  refresh: { keys: ['r'], label: 'refresh' },
  back: { keys: ['escape'], label: 'back' },
})
const list = bindingsOf().panel('list', 'List', {
  first: { keys: ['g'], label: 'first' },
  sort: { keys: ['s'], label: 'sort' },
})
const runs = bindingsOf('runs').screen('runs', 'Runs', {
  cancel: { keys: ['x'], label: 'cancel' },
  back: { keys: ['escape'], label: 'back' },
})
const servers = bindingsOf('servers').screen('servers', 'Servers', { doctor: { keys: ['d'], label: 'doctor' } })
const dialog = bindingsOf().overlay('dialog', 'Dialog', { close: { keys: ['q'], label: 'close' } })
const groups: readonly Bindings[] = [app, list, runs, servers, dialog]

function keysOf(bindings: readonly Bindings[], name: string): readonly string[] | undefined {
  const [group, id] = name.split('.')
  return bindings.find(candidate => candidate.name === group)?.bindings[id!]?.keys
}

describe('overrides of keys', () => {
  test('replace the keys of a binding and leave every other group unchanged', () => {
    const { bindings, problems } = applyOverrides(groups, { 'runs.cancel': ['X', 'ctrl+x', ', x'] })
    expect(problems).toEqual([])
    expect(keysOf(bindings, 'runs.cancel')).toEqual(['X', 'ctrl+x', ', x'])
    expect(bindings.filter(group => !groups.includes(group)).map(group => group.name)).toEqual(['runs'])
  })

  test('can swap the keys of two bindings', () => {
    const { bindings, problems } = applyOverrides(groups, { 'list.first': ['s'], 'list.sort': ['g'] })
    expect(problems).toEqual([])
    expect(keysOf(bindings, 'list.first')).toEqual(['s'])
  })

  test.each([
    ['runs.stop', ['x'], 'There is no binding runs.stop.'],
    ['runs.cancel', [], 'runs.cancel needs a key.'],
    ['runs.cancel', ['ctrl+i'], 'runs.cancel cannot be on “ctrl+i”: there is no such key'],
    ['runs.cancel', ['g'], 'runs.cancel cannot be on g: list.first is on g.'],
    ['runs.cancel', ['r'], 'runs.cancel cannot be on r: app.refresh is on r.'],
    ['app.refresh', ['escape'], 'app.refresh cannot be on Esc: app.back is on Esc.'],
    ['app.refresh', ['g r'], 'app.refresh cannot be on g r: list.first is on g.'],
    ['dialog.close', ['ctrl+c'], 'dialog.close cannot be on Ctrl+C: app.interrupt is on Ctrl+C.'],
    ['dialog.close', ['s'], 'dialog.close cannot be on s: list.sort is on s.'],
  ])('are refused for %s on %j', (name, keys, sentence) => {
    const { bindings, problems } = applyOverrides(groups, { [name]: keys })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(sentence)
    expect(bindings).toEqual(groups)
  })

  test('can give one key to bindings that are never active together', () => {
    const overrides = { 'runs.cancel': ['d'], 'dialog.close': ['r'], 'servers.doctor': ['x'] }
    expect(applyOverrides(groups, overrides).problems).toEqual([])
  })

  test('that are refused leave the default key in place, even against another override', () => {
    const { bindings, problems } = applyOverrides(groups, { 'list.sort': ['g'], 'runs.cancel': ['s'] })
    expect(problems).toHaveLength(2)
    expect(bindings).toEqual(groups)
  })

  test('that are empty leave every declaration unchanged, without messages', () => {
    expect(applyOverrides(allBindings, {})).toEqual({ bindings: allBindings, problems: [] })
    const same = Object.fromEntries(
      allBindings.flatMap(group =>
        Object.entries(group.bindings).map(([id, { keys }]) => [`${group.name}.${id}`, keys]),
      ),
    )
    expect(applyOverrides(allBindings, same).problems).toEqual([])
  })
})

describe('the names of keys', () => {
  test('include every key of a declaration', () => {
    const keys = allBindings.flatMap(group => Object.values(group.bindings).flatMap(({ keys: all }) => all))
    for (const key of keys.flatMap(sequence => sequence.split(' '))) expect([key, isKeyName(key)]).toEqual([key, true])
  })

  test('include every character and control character that a terminal sends', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, minLength: 1, maxLength: 1 }), fc.boolean(), (text, alt) => {
        const key = decodeKey(alt && text !== '\u001b' ? `\u001b${text}` : text)
        fc.pre(key !== undefined && key.name !== 'ctrl+[' && !key.name.startsWith('ctrl+alt+'))
        expect([key?.name, isKeyName(key.name)]).toEqual([key?.name, true])
      }),
    )
  })

  test.each(['', 'esc', 'return', 'ctrl+m', 'ctrl+A', 'shift+a', 'shift+enter', 'alt+', 'f0', 'f13', 'ctrl+f1', ' '])(
    'do not include “%s”',
    name => expect(isKeyName(name)).toBe(false),
  )
})
