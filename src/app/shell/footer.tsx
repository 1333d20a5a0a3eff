import { Text } from 'ink'
import { useSyncExternalStore } from 'react'
import { useCurrentTasks, type Task } from '../../hooks/tasks.tsx'
import { useSize } from '../../components/size.tsx'
import { useCurrentToast, useToasts } from '../../components/toasts.tsx'
import { displayKey } from '../keymap/binding.ts'
import type { Pending } from '../keymap/dispatcher.ts'
import type { ActiveBinding } from '../keymap/layers.ts'
import { useActiveBindings, useKeyName, usePendingKeys } from '../keymap/use-bindings.ts'
import { clean, truncate, widthOf, wrap } from '../theme/text.ts'
import { useTheme } from '../theme/theme-context.tsx'
import type { Theme, Tone } from '../theme/theme.ts'
import { appKeys } from './app-keys.ts'

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

/** A key of what can follow, and what it does. */
type Continuation = { keys: string; label: string; tone: Tone }

/** What has been pressed of a sequence, and each key that goes on with it, in as many lines as they take: `,  p projects  s servers`. */
function pendingLines({ typed, continuations }: Pending, width: number): Continuation[][] {
  const parts: Continuation[] = [
    ...continuations.map(({ keys, label, unavailable }) => ({
      keys: keys.map(key => displayKey(key.slice(typed.length + 1))).join(' '),
      label,
      tone: unavailable ? ('muted' as const) : ('plain' as const),
    })),
    { keys: displayKey('escape'), label: 'nothing', tone: 'plain' },
  ]
  const room = width - pendingMargin(typed)
  const lines: Continuation[][] = [[]]
  let used = 0
  for (const part of parts) {
    const columns = widthOf(part.keys) + 1 + widthOf(part.label) + GAP
    if (used > 0 && used + columns > room) {
      lines.push([])
      used = 0
    }
    lines.at(-1)!.push(part)
    used += columns
  }
  return lines
}

/** Before the continuations stands what was pressed, with a blank at its sides. */
function pendingMargin(typed: string): number {
  return 1 + widthOf(displayKey(typed)) + 2 + GAP
}

function PendingKeys(props: { pending: Pending; width: number }) {
  const theme = useTheme()
  const { typed } = props.pending
  return pendingLines(props.pending, props.width).map((line, index) => {
    const parts = line.map(
      ({ keys, label, tone }) => `${theme.paint('key', keys)} ${theme.paint(tone, label)}`,
    )
    const before =
      index === 0
        ? ` ${theme.paint('selected', ` ${displayKey(typed)} `)}${' '.repeat(GAP)}`
        : ' '.repeat(pendingMargin(typed))
    return (
      <Text key={index} wrap="truncate">
        {before + parts.join(' '.repeat(GAP))}
      </Text>
    )
  })
}

const BAR = 10

/** `● Examining 12 servers… ███░░░░░░░ 4/12  Ctrl+X stop`; of several tasks the one begun last, with how many there are. */
export function taskParts(
  theme: Theme,
  tasks: readonly Task[],
  stopKey: string,
): { text: string; tone: 'live' | 'key' | 'muted' }[] {
  const task = tasks.at(-1)
  if (!task) return []
  const { live, bar } = theme.symbols
  const others = tasks.length > 1 ? `${tasks.length} under way: ` : ''
  const { done, total } = task.progress ?? { done: 0, total: 0 }
  const filled = Math.round((BAR * done) / Math.max(1, total))
  const canStop = tasks.some(({ stop }) => stop !== undefined)
  return [
    { text: `${live} ${others}${clean(task.text)}`, tone: 'live' as const },
    ...(total > 0
      ? [
          {
            text: ` ${bar[0].repeat(filled)}${bar[1].repeat(BAR - filled)} ${done}/${total}`,
            tone: 'live' as const,
          },
        ]
      : []),
    ...(canStop
      ? [
          { text: `  ${stopKey}`, tone: 'key' as const },
          { text: ' stop', tone: 'muted' as const },
        ]
      : []),
  ]
}

/** Most rows that a sentence takes. */
const TOAST_ROWS = 4
/** Margin and mark before a sentence, and the margin after it. */
const TOAST_FRAME = 4

/** A sentence as the footer shows it, whole where it fits its rows. */
function toastLines(text: string, width: number): string[] {
  const room = Math.max(1, width - TOAST_FRAME)
  const lines = wrap(clean(text), room)
  if (lines.length <= TOAST_ROWS) return lines
  return [...lines.slice(0, TOAST_ROWS - 1), truncate(lines.slice(TOAST_ROWS - 1).join(' '), room)]
}

/** How many rows the footer takes now: one, or what a sentence needs. */
export function useFooterRows(width: number): number {
  const toasts = useToasts()
  const pending = usePendingKeys()
  const rows = useSyncExternalStore(toasts.subscribe, () => {
    const toast = toasts.current()
    return toast ? toastLines(toast.text, width).length : 1
  })
  return pending ? pendingLines(pending, width).length : rows
}

/** Last lines: how a sequence of keys can go on, else what just happened, else the keys that work now. */
export function Footer() {
  const theme = useTheme()
  const { width } = useSize()
  const toast = useCurrentToast()
  const bindings = useActiveBindings()
  const pending = usePendingKeys()
  const tasks = useCurrentTasks()
  const key = useKeyName()
  if (pending) return <PendingKeys pending={pending} width={width} />
  if (toast) {
    const { ok, warn, error, bullet } = theme.symbols
    const marks: Partial<Record<Tone, string>> = { ok, warn, error }
    const mark = marks[toast.tone] ?? bullet
    return toastLines(toast.text, width).map((line, index) => (
      <Text key={index} wrap="truncate">
        {theme.paint(toast.tone, ` ${index === 0 ? mark : ' '.repeat(widthOf(mark))} ${line}`)}
      </Text>
    ))
  }
  const parts = taskParts(theme, tasks, key(appKeys, 'stop'))
  const taken = parts.reduce((sum, part) => sum + widthOf(part.text), parts.length > 0 ? GAP : 0)
  const { left, right } = chooseHints(bindings, width - taken)
  const space = ' '.repeat(Math.max(0, width - taken - 1 - widthOfAll(left) - widthOfAll(right)))
  const task =
    parts.map(part => theme.paint(part.tone, part.text)).join('') + (taken > 0 ? ' '.repeat(GAP) : '')
  const line = (hints: readonly ActiveBinding[]): string =>
    hints.map(binding => hintText(theme, binding) + ' '.repeat(GAP)).join('')
  return <Text wrap="truncate">{` ${task}${line(left)}${space}${line(right).trimEnd()}`}</Text>
}
