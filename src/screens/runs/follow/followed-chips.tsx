import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { widthOf } from '../../../tui/theme/text.ts'
import { chipOf, fitChips, type Chip, overflowText } from './chips.ts'
import { useFollowed } from './use-followed.ts'

/** Returns the followed runs, and then others, in at most this many columns, for the header. */
export function useFollowedChips(room: number, others: readonly Chip[] = []): { text: string; width: number } {
  const theme = useTheme()
  const followed = useFollowed()
  const { shown, hidden } = fitChips([...followed.map(each => chipOf(each, theme.symbols)), ...others], room)
  const rest = hidden > 0 ? overflowText(hidden) : undefined
  const texts = [...shown.map(({ text }) => text), ...(rest === undefined ? [] : [rest])]
  const painted = [
    ...shown.map(({ text, tone }) => theme.paint(tone, text)),
    ...(rest === undefined ? [] : [theme.paint('muted', rest)]),
  ]
  return { text: painted.join('  '), width: widthOf(texts.join('  ')) }
}
