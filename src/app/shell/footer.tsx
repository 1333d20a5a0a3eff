import { Text } from 'ink'
import { useSize } from '../../components/size.tsx'
import { useCurrentToast } from '../../components/toasts.tsx'
import { displayKey } from '../keymap/binding.ts'
import type { Pending } from '../keymap/dispatcher.ts'
import type { ActiveBinding } from '../keymap/layers.ts'
import { useActiveBindings, usePendingKeys } from '../keymap/use-bindings.ts'
import { clean, truncate, widthOf } from '../theme/text.ts'
import { useTheme } from '../theme/theme-context.tsx'
import type { Theme } from '../theme/theme.ts'

const GAP = 2

function hintWidth(binding: ActiveBinding): number {
  return widthOf(displayKey(binding.keys[0] ?? '')) + 1 + widthOf(binding.label)
}

function hintText(theme: Theme, binding: ActiveBinding): string {
  return `${theme.paint('key', displayKey(binding.keys[0] ?? ''))} ${theme.paint('muted', binding.label)}`
}

function widthOfAll(bindings: readonly ActiveBinding[]): number {
  return bindings.reduce((sum, binding) => sum + hintWidth(binding) + GAP, 0)
}

/** The hints that fit in a width: help and quitting always, then what the place offers, then what every list does. */
export function chooseHints(
  bindings: readonly ActiveBinding[],
  width: number,
): { left: ActiveBinding[]; right: ActiveBinding[] } {
  const shown = bindings.filter(binding => binding.hint && !binding.unavailable)
  const right = shown.filter(binding => binding.hint === 'end')
  const wanted = [
    ...shown.filter(binding => binding.hint === true),
    ...shown.filter(binding => binding.hint === 'later'),
  ]
  const left: ActiveBinding[] = []
  for (const binding of wanted) {
    if (1 + widthOfAll([...left, binding]) + widthOfAll(right) > width) break
    left.push(binding)
  }
  return { left, right }
}

/** What has been pressed of a sequence, and each key that goes on with it: `,  p projects  s servers`. */
function pendingText(theme: Theme, { typed, continuations }: Pending): string {
  const rest = continuations.map(binding => {
    const keys = binding.keys.map(key => displayKey(key.slice(typed.length + 1))).join(' ')
    const label = theme.paint(binding.unavailable ? 'muted' : 'plain', binding.label)
    return `${theme.paint('key', keys)} ${label}`
  })
  return ` ${[theme.paint('selected', ` ${displayKey(typed)} `), ...rest, `${theme.paint('key', displayKey('escape'))} nothing`].join(' '.repeat(GAP))}`
}

/** Last line: how a sequence of keys can go on, else what just happened, else the keys that work now. */
export function Footer() {
  const theme = useTheme()
  const { width } = useSize()
  const toast = useCurrentToast()
  const bindings = useActiveBindings()
  const pending = usePendingKeys()
  if (pending) return <Text wrap="truncate">{pendingText(theme, pending)}</Text>
  if (toast) {
    const { ok, error, bullet } = theme.symbols
    const mark = toast.tone === 'ok' ? ok : toast.tone === 'error' ? error : bullet
    return (
      <Text wrap="truncate">
        {theme.paint(toast.tone, ` ${mark} ${truncate(clean(toast.text), width - 4)}`)}
      </Text>
    )
  }
  const { left, right } = chooseHints(bindings, width)
  const space = ' '.repeat(Math.max(0, width - 1 - widthOfAll(left) - widthOfAll(right)))
  const line = (hints: readonly ActiveBinding[]): string =>
    hints.map(binding => hintText(theme, binding) + ' '.repeat(GAP)).join('')
  return <Text wrap="truncate">{` ${line(left)}${space}${line(right).trimEnd()}`}</Text>
}
