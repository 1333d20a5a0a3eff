import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { promptKeys } from './component-keys.ts'
import { useSize } from './size.tsx'
import { TextField } from './text-field/text-field.tsx'

/** Columns for the words beside the input. */
const BESIDE = 24

/** Shows one line that asks for a text inside a pane or an overlay, with words at its right. */
export function Prompt(props: {
  value: string
  onChange: (value: string) => void
  onAccept: () => void
  onLeave: () => void
  children?: ReactNode
}) {
  const theme = useTheme()
  const { width } = useSize()
  useBindings(promptKeys, { accept: props.onAccept, leave: props.onLeave })
  return (
    <Box width={width} height={1}>
      <Text>{theme.paint('accent', ' /')}</Text>
      <TextField
        value={props.value}
        onChange={props.onChange}
        onSubmit={props.onAccept}
        onCancel={props.onLeave}
        width={Math.max(BESIDE, width - BESIDE)}
      />
      {props.children}
    </Box>
  )
}
