import { Box } from 'ink'
import { useMemo, useState } from 'react'
import { Prompt } from '../../components/prompt.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { displayKey } from '../../tui/keymap/binding.ts'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { legend } from '../../tui/theme/legend.ts'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { helpKeys } from './app-keys.ts'

const KEYS_WIDTH = 22

/** Returns the keys side by side; if they do not fit, the first and last: `Alt+1 … Alt+9`. */
function keysText({ keys, byKey }: ActiveBinding): string {
  const shown = keys.map(displayKey)
  const all = shown.join(' ')
  return byKey && widthOf(all) > KEYS_WIDTH ? `${shown[0]} … ${shown.at(-1)}` : all
}

/** Returns what works here, by group, with the reason for what is unavailable. */
export function helpLines(bindings: readonly ActiveBinding[]): Line[] {
  const titles = [...new Set(bindings.map(binding => binding.title))]
  return titles.flatMap(title => [
    { text: title, tone: 'accent' as const },
    ...bindings
      .filter(binding => binding.title === title)
      .map(binding => {
        const what = binding.help ?? binding.label
        return {
          lead: [{ text: `${fit(keysText(binding), KEYS_WIDTH)}  `, tone: 'key' as const }],
          rest: [{ text: ' '.repeat(KEYS_WIDTH + 2), tone: 'key' as const }],
          spans: [
            { text: what, tone: binding.unavailable ? ('muted' as const) : ('plain' as const) },
            { text: binding.unavailable ? ` (${binding.unavailable})` : '', tone: 'warn' as const },
          ],
        }
      }),
    '',
  ])
}

/** Returns the lines of the groups that contain this text, each below its group's heading. */
export function filterHelp(bindings: readonly ActiveBinding[], text: string): Line[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  const lineOf = ({ keys, title, label, help, name }: ActiveBinding): string =>
    [keys.map(displayKey).join(' '), title, label, help, name].join(' ').toLowerCase()
  const found = bindings.filter(binding => words.every(word => lineOf(binding).includes(word)))
  return found.length > 0 ? helpLines(found) : [{ text: `No key here matches “${clean(text)}”.`, tone: 'muted' }]
}

/** Returns the meaning of the signs on the screen, limited to those that contain this text. */
export function legendLines(symbols: Symbols, text: string): Line[] {
  const words = text.trim().toLowerCase().split(/\s+/)
  const found = legend(symbols).filter(([signs, means]) =>
    words.every(word => means.includes(word) || signs.includes(word)),
  )
  if (found.length === 0) return []
  return [
    { text: 'Signs', tone: 'accent' },
    ...found.map(([signs, means]): Line => ({
      lead: [{ text: `${fit(signs.join(' '), KEYS_WIDTH)}  `, tone: 'key' }],
      rest: [{ text: ' '.repeat(KEYS_WIDTH + 2), tone: 'key' }],
      spans: [{ text: means, tone: 'plain' }],
    })),
  ]
}

/** Shows the help overlay; `bindings` were read before it opened, so it shows the page's keys. */
export function Help(props: { bindings: readonly ActiveBinding[]; onClose: () => void }) {
  const { width, height } = useSize()
  const [text, setText] = useState('')
  const [asking, setAsking] = useState(false)
  const { symbols } = useTheme()
  const lines = useMemo(
    () => [...filterHelp(props.bindings, text), ...legendLines(symbols, text)],
    [props.bindings, text, symbols],
  )
  useBindings(helpKeys, { filter: () => setAsking(true), close: text === '' ? props.onClose : () => setText('') })
  const above = asking ? 1 : 0
  return (
    <Box flexDirection="column" width={width} height={height}>
      {asking && (
        <Prompt
          value={text}
          onChange={setText}
          onAccept={() => setAsking(false)}
          onLeave={() => {
            setText('')
            setAsking(false)
          }}
        />
      )}
      <SizeProvider width={width} height={Math.max(1, height - above)} top={above}>
        <Viewer key={text} lines={lines} focused />
      </SizeProvider>
    </Box>
  )
}
