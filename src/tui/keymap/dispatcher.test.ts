import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { bindingsOf, unavailable, type Bindings, type Handlers } from './binding.ts'
import { createDispatcher, UnavailableAction } from './dispatcher.ts'

const define = bindingsOf()

const key = (name: string) => ({ name, sequence: name === 'space' ? ' ' : name })
const keys = (text: string) => [...text].map(key)

const app = define.app('app', 'App', {
  quit: { keys: ['q'], label: 'quit' },
  interrupt: { keys: ['ctrl+c'], label: 'leave' },
})
const list = define.panel('list', 'List', {
  down: { keys: ['j'], label: 'down', repeats: true },
  mark: { keys: ['m'], label: 'mark' },
})
const field = define.field('field', 'Field', { submit: { keys: ['enter'], label: 'accept' } })
const dialog = define.overlay('dialog', 'Dialog', { close: { keys: ['escape', 'q'], label: 'close' } })

function setup(order: 'app first' | 'list first' = 'app first') {
  const calls: string[] = []
  const reports: unknown[] = []
  let settled = 0
  const dispatcher = createDispatcher({
    settle: async () => {
      settled += 1
    },
    report: error => reports.push(error),
  })
  const add = <Id extends string>(
    bindings: Bindings<Id>,
    handlers: Handlers<Id>,
    more: { depth?: number; text?: (text: string) => void } = {},
  ) =>
    dispatcher.register({
      bindings,
      handlers: () => handlers,
      depth: more.depth ?? 0,
      ...(more.text && { text: more.text }),
    })
  const addApp = () => add(app, { quit: () => void calls.push('quit'), interrupt: () => void calls.push('interrupt') })
  const addList = () => add(list, { down: () => void calls.push('down'), mark: unavailable('Nothing to mark.') })
  if (order === 'app first') [addApp, addList].forEach(run => run())
  else [addList, addApp].forEach(run => run())
  return { dispatcher, add, calls, reports, settled: () => settled }
}

describe('the dispatcher of keys', () => {
  test('splits a burst and does not render between repeats', async () => {
    const { dispatcher, calls, settled } = setup()
    await dispatcher.press(keys('jjj'))
    expect(calls).toEqual(['down', 'down', 'down'])
    expect(settled()).toBe(0)
  })

  test('waits for the screen between different actions of a burst', async () => {
    const { dispatcher, calls, settled } = setup()
    await dispatcher.press(keys('jq'))
    expect(calls).toEqual(['down', 'quit'])
    expect(settled()).toBe(1)
  })

  test('keys that arrive in pieces reach the same screens as keys that arrive at once', async () => {
    const { dispatcher, calls, settled } = setup()
    await Promise.all([keys('j'), keys('j'), keys('q'), keys('j')].map(each => dispatcher.press(each)))
    expect(calls).toEqual(['down', 'down', 'quit', 'down'])
    expect(settled()).toBe(2)
    await dispatcher.act(() => calls.push('click'))
    expect([calls.at(-1), settled()]).toEqual(['click', 4])
  })

  test('an unavailable action says why', async () => {
    const { dispatcher, reports } = setup()
    await dispatcher.press(keys('m'))
    expect(reports).toEqual([new UnavailableAction('Nothing to mark.')])
  })

  test('an overlay stops every key of the page except those that leave the program at once', async () => {
    const { dispatcher, add, calls } = setup()
    const close = add(dialog, { close: () => void calls.push('close') }, { depth: 1 })
    await dispatcher.press([...keys('jq'), key('ctrl+c')])
    expect(calls).toEqual(['close', 'interrupt'])
    expect(dispatcher.active().map(binding => binding.name)).toEqual(['dialog.close', 'app.interrupt'])
    close()
    await dispatcher.press(keys('q'))
    expect(calls.at(-1)).toBe('quit')
  })

  test('a text field takes typed characters together, and no other keys', async () => {
    const { dispatcher, add, calls } = setup()
    const typed: string[] = []
    add(field, { submit: () => void calls.push('submit') }, { text: text => typed.push(text) })
    await dispatcher.press([...keys('jq q'.replace(' ', '')), key('space'), ...keys('m'), key('enter')])
    expect(typed).toEqual(['jqq m'])
    expect(calls).toEqual(['submit'])
  })

  test('a paste reaches only a text field, as text with its line breaks', () => {
    const { dispatcher, add, calls } = setup()
    dispatcher.paste('q\n')
    expect(calls).toEqual([])
    const typed: string[] = []
    add(field, { submit: () => void calls.push('submit') }, { text: text => typed.push(text) })
    dispatcher.paste('two\r\nor\rthree\nlines')
    expect(typed).toEqual(['two\nor\nthree\nlines'])
    expect(calls).toEqual([])
  })

  test('lines that arrive at once are text for a text field; without one they are keys, or dropped', async () => {
    const { dispatcher, add, calls, reports } = setup()
    await dispatcher.burst('j\nj', [key('j'), key('enter'), key('j')])
    expect(calls).toEqual(['down', 'down'])
    await dispatcher.burst('j\n'.repeat(40), Array.from({ length: 40 }, () => [key('j'), key('enter')]).flat())
    expect(calls).toEqual(['down', 'down'])
    expect(reports).toEqual([new UnavailableAction('The pasted text was dropped: no field is open for it.')])
    const typed: string[] = []
    add(field, { submit: () => void calls.push('submit') }, { text: text => typed.push(text) })
    await dispatcher.burst('a\r\nb', [key('a'), key('enter'), key('b')])
    expect(typed).toEqual(['a\nb'])
    expect(calls).toEqual(['down', 'down'])
  })

  test('a handler that throws is reported and the next key still works', async () => {
    const { dispatcher, add, calls, reports } = setup()
    add(define.screen('x', 'X', { boom: { keys: ['b'], label: 'boom' } }), {
      boom: () => {
        throw new Error('boom')
      },
    })
    await dispatcher.press(keys('bj'))
    expect(reports).toEqual([new Error('boom')])
    expect(calls).toEqual(['down'])
  })

  test('ignores the order in which handlers are mounted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom('j', 'q', 'm', 'ctrl+c')), async names => {
        const first = setup('app first')
        const second = setup('list first')
        await first.dispatcher.press(names.map(key))
        await second.dispatcher.press(names.map(key))
        expect(second.calls).toEqual(first.calls)
      }),
    )
  })
})
