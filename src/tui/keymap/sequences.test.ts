import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindingsOf, type Bindings } from './binding.ts'
import { createDispatcher, UnavailableAction } from './dispatcher.ts'
import { applyOverrides } from './overrides.ts'

const define = bindingsOf()

const key = (name: string) => ({ name, sequence: name })

const app = define.app('app', 'App', {
  interrupt: { keys: ['ctrl+c'], label: 'leave' },
  runs: { keys: [', r', 'g r'], label: 'runs' },
  deep: { keys: [', d d'], label: 'deep' },
  refresh: { keys: ['r'], label: 'refresh' },
})
const list = define.panel('list', 'List', {
  first: { keys: ['g'], label: 'first' },
  down: { keys: ['j'], label: 'down' },
})
const field = define.field('field', 'Field', { submit: { keys: ['enter'], label: 'accept' } })

function setUp(bindings?: readonly Bindings[]) {
  const calls: string[] = []
  const reports: unknown[] = []
  const dispatcher = createDispatcher({
    settle: async () => undefined,
    report: error => reports.push(error),
    ...(bindings && { bindings }),
  })
  const add = (group: Bindings, text?: (typed: string) => void) => {
    const handlers = Object.fromEntries(Object.keys(group.bindings).map(id => [id, () => void calls.push(id)]))
    return dispatcher.register({ bindings: group, handlers: () => handlers, depth: 0, ...(text && { text }) })
  }
  add(app)
  add(list)
  const press = (...names: string[]) => dispatcher.press(names.map(key))
  return { dispatcher, add, press, calls, reports }
}

describe('a sequence of keys', () => {
  test('waits for its end and shows how it can continue', async () => {
    const { dispatcher, press, calls } = setUp()
    let told = 0
    dispatcher.subscribe(() => (told += 1))
    await press(',')
    const { typed, continuations } = dispatcher.pending()!
    expect(typed).toBe(',')
    expect(continuations.map(({ name, keys }) => [name, keys])).toEqual([
      ['app.runs', [', r']],
      ['app.deep', [', d d']],
    ])
    expect(told).toBe(1)
    await press('r')
    expect(calls).toEqual(['runs'])
    expect(dispatcher.pending()).toBeUndefined()
    expect(told).toBe(2)
  })

  test('can arrive in one burst, and can have more than two keys', async () => {
    const { press, calls } = setUp()
    await press(',', 'd', 'd', 'j', ',', 'r')
    expect(calls).toEqual(['deep', 'down', 'runs'])
  })

  test('is dropped by Esc; a key that does not continue it is consumed and reported', async () => {
    const { dispatcher, press, calls, reports } = setUp()
    await press(',', 'escape', 'r')
    expect(calls).toEqual(['refresh'])
    await press(',', 'd', 'j')
    expect(calls).toEqual(['refresh'])
    expect(reports).toEqual([new UnavailableAction('Nothing is on , d j.')])
    expect(dispatcher.pending()).toBeUndefined()
  })

  test('can always be left at once', async () => {
    const { press, calls } = setUp()
    await press(',', 'ctrl+c')
    expect(calls).toEqual(['interrupt'])
  })

  test('leaves its first key to a nearer group that has it', async () => {
    const { dispatcher, press, calls } = setUp()
    await press('g', 'r')
    expect(calls).toEqual(['first', 'refresh'])
    expect(dispatcher.active().find(({ name }) => name === 'app.runs')?.keys).toEqual([', r'])
  })

  test('is text in a text field', async () => {
    const { dispatcher, add, press, calls } = setUp()
    const typed: string[] = []
    add(field, text => typed.push(text))
    await press(',', 'r')
    expect(typed).toEqual([',r'])
    expect(calls).toEqual([])
    expect(dispatcher.active().map(({ name }) => name)).toEqual(['field.submit', 'app.interrupt'])
  })

  test('whatever is pressed, every key that a group lists as working does what it says', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(',', 'g', 'r', 'd', 'j', 'escape')), async before => {
        const { dispatcher, press, calls } = setUp()
        await press(...before, 'escape', 'escape')
        for (const { name, keys } of dispatcher.active())
          for (const sequence of keys) {
            calls.length = 0
            await press(...sequence.split(' '))
            expect([sequence, ...calls]).toEqual([sequence, name.split('.')[1]])
          }
      }),
    )
  })
})

test('keys that override the defaults are handled and listed', async () => {
  const { bindings } = applyOverrides([app, list], { 'list.down': ['n'], 'app.refresh': ['ctrl+r', ', f'] })
  const { dispatcher, press, calls } = setUp(bindings)
  await press('j', 'r', 'n', 'ctrl+r', ',', 'f')
  expect(calls).toEqual(['down', 'refresh', 'refresh'])
  expect(dispatcher.active().find(({ name }) => name === 'list.down')?.keys).toEqual(['n'])
})
