import { expect, test } from 'vitest'
import type { MouseEvent } from './mouse.ts'
import { createPointer, DOUBLE_CLICK_MS, type PointerHandlers } from './pointer.ts'

function setup() {
  const heard: string[] = []
  let now = 1000
  const pointer = createPointer(() => now)
  const add = (name: string, place: [row: number, column: number, width: number, height: number], more = {}) =>
    pointer.register({
      rectangle: { row: place[0], column: place[1], width: place[2], height: place[3] },
      depth: 0,
      handlers: () => ({
        focus: () => heard.push(`${name} focus`),
        press: ({ row, column }, again) => heard.push(`${name} ${row},${column}${again ? ' again' : ''}`),
        wheel: notches => heard.push(`${name} wheel ${notches}`),
      }),
      ...more,
    })
  const mouse = (action: MouseEvent['action'], row: number, column: number, more = {}) =>
    pointer.handle({
      type: 'mouse',
      action,
      button: 'left',
      row,
      column,
      shift: false,
      alt: false,
      ctrl: false,
      ...more,
    })
  const take = () => heard.splice(0)
  return { pointer, add, mouse, take, wait: (by: number) => void (now += by) }
}

const only = (handlers: PointerHandlers) => ({ handlers: () => handlers })

test('a press focuses the areas around it and acts on the smallest one, whatever was added first', () => {
  for (const order of [0, 1]) {
    const { add, mouse, take } = setup()
    const adds = [() => add('pane', [2, 0, 40, 20]), () => add('list', [3, 1, 38, 10])]
    adds[order]!()
    adds[1 - order]!()
    expect(mouse('press', 5, 4)).toBe(true)
    expect(take()).toEqual(['pane focus', 'list focus', 'list 2,3'])
    mouse('press', 20, 4)
    expect(take()).toEqual(['pane focus', 'pane 18,4'])
    expect(mouse('press', 22, 4)).toBe(false)
    expect(take()).toEqual([])
  }
})

test('a move without a button is reported to the picture under it, and so is leaving the picture', async () => {
  const wanted: boolean[] = []
  const heard: unknown[] = []
  const pointer = createPointer(Date.now, isWanted => wanted.push(isWanted))
  const rectangle = { row: 2, column: 4, width: 10, height: 3 }
  const picture = () => ({ rectangle, depth: 0, handlers: () => ({ hover: (at: unknown) => heard.push(at) }) })
  const move = (row: number, column: number, button: 'none' | 'left' = 'none') =>
    pointer.handle({ type: 'mouse', action: 'move', button, row, column, shift: false, alt: false, ctrl: false })
  const remove = pointer.register(picture())
  pointer.register({ rectangle: { row: 0, column: 0, width: 80, height: 24 }, depth: 0, handlers: () => ({}) })
  await Promise.resolve()
  expect(move(3, 5)).toBe(true)
  expect(move(3, 5, 'left')).toBe(false)
  expect(move(0, 0)).toBe(false)
  expect(heard).toEqual([{ row: 1, column: 1 }, undefined])
  remove()
  const removeAgain = pointer.register(picture())
  await Promise.resolve()
  expect(wanted, 'one that moves stays wanted').toEqual([true])
  move(2, 4)
  removeAgain()
  await Promise.resolve()
  expect(heard.slice(2)).toEqual([{ row: 0, column: 0 }, undefined])
  expect(wanted).toEqual([true, false])
})

test('the second press on a row in time is a double click, and the third starts again', () => {
  const { add, mouse, take, wait } = setup()
  add('list', [0, 0, 9, 9])
  mouse('press', 1, 1)
  wait(DOUBLE_CLICK_MS - 1)
  mouse('press', 1, 5)
  mouse('press', 1, 5)
  expect(take().filter(call => !call.endsWith('focus'))).toEqual(['list 1,1', 'list 1,5 again', 'list 1,5'])
  mouse('press', 2, 5)
  wait(DOUBLE_CLICK_MS)
  mouse('press', 2, 5)
  expect(take().filter(call => !call.endsWith('focus'))).toEqual(['list 2,5', 'list 2,5'])
})

test('an overlay covers the page, even beside it, until it closes', () => {
  const { add, mouse, take } = setup()
  add('page', [0, 0, 80, 24])
  const close = add('overlay', [5, 5, 20, 5], { depth: 1, ...only({}) })
  mouse('press', 6, 6)
  mouse('press', 0, 0)
  mouse('wheel-down', 6, 6)
  expect(take()).toEqual([])
  close()
  mouse('wheel-up', 6, 6)
  expect(take()).toEqual(['page wheel -1'])
})

test('the wheel goes to the area that scrolls under it, and other buttons, releases and moves do nothing', () => {
  const { pointer, add, mouse, take } = setup()
  add('pane', [0, 0, 40, 20], only({ focus: () => undefined }))
  add('viewer', [1, 1, 38, 18])
  add('line', [1, 1, 38, 1], only({ press: () => undefined }))
  expect(mouse('wheel-down', 1, 3)).toBe(true)
  expect(take()).toEqual(['viewer wheel 1'])
  const turned = { type: 'mouse', action: 'wheel-down', button: 'none', row: 2, column: 3 } as const
  pointer.handle({ ...turned, shift: false, alt: false, ctrl: false }, 7)
  expect(take()).toEqual(['viewer wheel 7'])
  expect(mouse('press', 3, 3, { button: 'right' })).toBe(false)
  expect(mouse('release', 3, 3)).toBe(false)
  expect(mouse('move', 3, 3)).toBe(false)
  expect(take()).toEqual([])
})
