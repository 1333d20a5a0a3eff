import { expect, test } from 'vitest'
import { VirtualClock } from '../../../../test/client/virtual-clock.ts'
import { createBudget } from './budget.ts'
import { betweenKeys, createInputIdle } from './input-idle.ts'
import { yieldToInput } from '../../../lib/yield-to-input.ts'

/** Waits for more turns of the event loop than the first waiting request waits for keys. */
async function someTurns(): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1) await yieldToInput()
}

function stage() {
  const clock = new VirtualClock()
  const pauses = createInputIdle(clock)
  const gone: string[] = []
  const ask = (name: string) => void pauses.next().then(() => gone.push(name))
  return { clock, pauses, gone, ask }
}

test('without keys no request waits', async () => {
  const { gone, ask } = stage()
  ask('a')
  ask('b')
  await someTurns()
  expect(gone).toEqual(['a', 'b'])
})

test('a request that comes right after a key is sent, and a later one waits for the next key', async () => {
  const { clock, pauses, gone, ask } = stage()
  pauses.inputArrived()
  await clock.advance(30)
  ask('right after')
  await someTurns()
  await clock.advance(30)
  ask('late')
  await someTurns()
  expect(gone).toEqual(['right after'])
  pauses.inputArrived()
  await someTurns()
  expect(gone).toEqual(['right after', 'late'])
})

test('a request is sent once the person pauses, if no further key arrives', async () => {
  const { clock, pauses, gone, ask } = stage()
  pauses.inputArrived()
  await clock.advance(100)
  ask('a')
  await someTurns()
  await clock.advance(99)
  await someTurns()
  expect(gone).toEqual([])
  await clock.advance(1)
  await someTurns()
  expect(gone).toEqual(['a'])
})

test('keys are handled between two requests, and a request that would be too late waits for the next key', async () => {
  const { clock, pauses, gone, ask } = stage()
  const pressLongBefore = async (): Promise<void> => {
    await pauses.next()
    gone.push('b')
    pauses.inputArrived()
    await clock.advance(100)
  }
  ask('a')
  void pressLongBefore()
  ask('c')
  await someTurns()
  expect(gone).toEqual(['a', 'b'])
  pauses.inputArrived()
  await someTurns()
  expect(gone).toEqual(['a', 'b', 'c'])
})

test('a request of the person is sent at once', async () => {
  const { clock, pauses } = stage()
  const budget = betweenKeys(createBudget({ unlimited: true, clock }), pauses)
  const gone: string[] = []
  pauses.inputArrived()
  await clock.advance(100)
  void budget.acquire({ priority: 'visible' }).then(() => gone.push('poll'))
  void budget.acquire({ priority: 'foreground' }).then(() => gone.push('foreground'))
  await someTurns()
  expect(gone).toEqual(['foreground'])
  await clock.advance(100)
  await someTurns()
  expect(gone).toEqual(['foreground', 'poll'])
  budget.close()
})
