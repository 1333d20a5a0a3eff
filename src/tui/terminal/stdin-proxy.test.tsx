import { Box, render, Text, useInput } from 'ink'
import SelectInput from 'ink-select-input'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { createScreen } from './screen.ts'
import { createStdinProxy } from './stdin-proxy.ts'
import { Emulator } from '../../../test/terminal/emulator.ts'

const ITEMS = ['first', 'second', 'third'].map(name => ({ label: name, value: name }))

function Form({ chosen }: { chosen: (value: string) => void }) {
  const [escapes, setEscapes] = useState(0)
  useInput((_input, key) => {
    if (key.escape) setEscapes(count => count + 1)
  })
  return (
    <Box flexDirection="column">
      <Text>escapes {escapes}</Text>
      <SelectInput items={ITEMS} onSelect={item => chosen(item.value)} />
    </Box>
  )
}

test('the select list of Ink reacts to the keys that are pushed', async () => {
  const emulator = new Emulator({ columns: 30, rows: 8 })
  const screen = createScreen(emulator)
  const stdin = createStdinProxy()
  const chosen = vi.fn<(value: string) => void>()
  screen.enter()
  expect(stdin.push('lost: nobody listens yet')).toBe(false)
  const app = render(<Form chosen={chosen} />, {
    stdin,
    stdout: screen.stdout,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
  })
  const shown = async (): Promise<string[]> => {
    await app.waitUntilRenderFlush()
    await emulator.drawn()
    return emulator.text()
  }
  await app.waitUntilRenderFlush()
  stdin.push('\x1b')
  expect((await shown())[0]).toBe('escapes 1')
  expect((await shown())[1]).toBe('❯ first')
  stdin.push('j')
  stdin.push('j')
  expect((await shown())[3]).toBe('❯ third')
  stdin.push('\x1b[A')
  await shown()
  stdin.push('\r')
  expect(chosen.mock.calls).toEqual([['second']])
  app.unmount()
})
