import { Text } from 'ink'
import { useTheme } from '../theme/theme-context.tsx'
import type { ScreenEntry } from './screen-entry.ts'

/** Second line: the screens with their numbers. */
export function Tabs(props: { screens: readonly ScreenEntry[]; current: string }) {
  const theme = useTheme()
  const line = props.screens
    .map((entry, index) => {
      const text = `${index + 1} ${entry.title}`
      return entry.route.screen === props.current
        ? theme.paint('selected', `[${text}]`)
        : theme.paint('muted', ` ${text} `)
    })
    .join(' ')
  return <Text wrap="truncate">{` ${line}`}</Text>
}
