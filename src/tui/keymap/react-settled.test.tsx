import { Text } from 'ink'
import { render } from 'ink-testing-library'
import { useState } from 'react'
import {
  unstable_NormalPriority as NORMAL,
  unstable_scheduleCallback as schedule,
  unstable_shouldYield as isTurnOver,
} from 'scheduler'
import { expect, onTestFinished, test } from 'vitest'
import { reactSettled } from './react-settled.ts'

test('a state that was set is rendered, however long earlier work takes', async () => {
  let set: (text: string) => void
  function Shown() {
    const [text, setText] = useState('before')
    set = setText
    return <Text>{text}</Text>
  }
  const { lastFrame, unmount } = render(<Shown />)
  onTestFinished(unmount)
  await reactSettled()
  for (let turn = 0; turn < 5; turn += 1) {
    schedule(NORMAL, () => {
      while (!isTurnOver());
    })
  }
  set!('after')
  await reactSettled()
  expect(lastFrame()).toBe('after')
})
