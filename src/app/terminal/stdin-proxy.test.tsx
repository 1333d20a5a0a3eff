import { Box, render, Text, useInput } from 'ink'
import SelectInput from 'ink-select-input'
import TextInput from 'ink-text-input'
import { useState } from 'react'
import { expect, test, vi } from 'vitest'
import { createScreen } from './screen.ts'
import { createStdinProxy } from './stdin-proxy.ts'
import { Emulator } from './test-emulator.ts'

const ITEMS = ['first', 'second', 'third'].map(name => ({ label: name, value: name }))

function Form({ chosen }: { chosen: (value: string) => void }) {
  const [value, setValue] = useState('')
  const [isTyping, setTyping] = useState(true)
  const [escapes, setEscapes] = useState(0)
  useInput((_input, key) => {
    if (key.escape) setEscapes(count => count + 1)
  })
  return (
    <Box flexDirection="column">
      <Text>escapes {escapes}</Text>
      <TextInput value={value} focus={isTyping} onChange={setValue} onSubmit={() => setTyping(false)} />
      <SelectInput items={ITEMS} isFocused={!isTyping} onSelect={item => chosen(item.value)} />
    </Box>
  )
}

test("Ink's text field and select list react to the keys pushed", async () => {
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
  for (const key of ['a', 'b', '\x1b[D', 'x']) {
    stdin.push(key)
    await app.waitUntilRenderFlush()
  }
  stdin.paste(' 漢\x1b[201~ ')
  expect((await shown())[1]).toBe('ax 漢[201~ b')
  stdin.push('\x1b')
  expect((await shown())[0]).toBe('escapes 1')
  stdin.push('\r')
  expect((await shown())[2]).toBe('❯ first')
  stdin.push('j')
  stdin.push('j')
  expect((await shown())[4]).toBe('❯ third')
  stdin.push('\x1b[A')
  await shown()
  stdin.push('\r')
  expect(chosen.mock.calls).toEqual([['second']])
  app.unmount()
})
