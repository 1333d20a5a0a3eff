import { Text } from 'ink'
import { useSyncExternalStore } from 'react'
import { useCurrentTasks, type Task } from '../../hooks/tasks.tsx'
import { useWaitingWrite } from '../../hooks/use-open-writes.ts'
import { useSize } from '../../components/size.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useCurrentToast, useToasts, type Toast } from '../../components/toasts.tsx'
import { displayKey } from '../../tui/keymap/binding.ts'
import type { Pending } from '../../tui/keymap/dispatcher.ts'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import { useActiveBindings, useKeyName, usePendingKeys } from '../../tui/keymap/use-bindings.ts'
import { bar } from '../../tui/theme/charts.ts'
import { clean, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme, Tone } from '../../tui/theme/theme.ts'
import { appKeys } from '../../components/everywhere-keys.ts'

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

/** The hints that fit in a width by their importance; one that is too long leaves its room to the next. */
export function chooseHints(
  bindings: readonly ActiveBinding[],
  width: number,
): { left: ActiveBinding[]; right: ActiveBinding[] } {
  const hinted = bindings.filter(binding => binding.hint && !binding.unavailable)
  const taken = new Set(hinted.filter(({ hint }) => hint === 'end'))
  for (const importance of ['first', true, 'spare', 'later'] as const)
    for (const binding of hinted)
      if (binding.hint === importance && 1 + widthOfAll([...taken, binding]) <= width) taken.add(binding)
  const atEnd = ({ hint }: ActiveBinding): boolean => hint === 'end' || hint === 'spare'
  // A set keeps the order of importance; at the right end it is that of the declaration.
  return {
    left: [...taken].filter(binding => !atEnd(binding)),
    right: hinted.filter(each => atEnd(each) && taken.has(each)),
  }
}

/** Hints in a line of a width, what belongs to its right end at that end. */
function hintLine(theme: Theme, bindings: readonly ActiveBinding[], width: number): string {
  const { left, right } = chooseHints(bindings, width)
  const space = ' '.repeat(Math.max(0, width - 1 - widthOfAll(left) - widthOfAll(right)))
  const line = (hints: readonly ActiveBinding[]): string =>
    hints.map(binding => hintText(theme, binding) + ' '.repeat(GAP)).join('')
  return `${line(left)}${space}${line(right).trimEnd()}`
}

/** A key of what can follow, and what it does. */
type Continuation = { keys: string; label: string; tone: Tone }

/**
 * What has been pressed of a sequence, and each key that goes on with it, in as many lines as they take: `,  p projects
 * s servers`.
 */
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
    const parts = line.map(({ keys, label, tone }) => `${theme.paint('key', keys)} ${theme.paint(tone, label)}`)
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

/**
 * ` Examining 12 servers… ███░░░░░░░ 4/12  Ctrl+X stop`, behind the sign that turns; of several tasks the one begun
 * last, with how many there are. `waits` says what a write waits for.
 */
export function taskParts(
  theme: Theme,
  tasks: readonly Task[],
  stopKey: string,
  waits?: ReturnType<typeof useWaitingWrite>,
): { text: string; tone: 'live' | 'key' | 'muted' | 'warn' }[] {
  const task = tasks.at(-1)
  if (!task) return []
  const others = tasks.length > 1 ? `${tasks.length} under way: ` : ''
  const { done, total, share } = task.progress ?? { done: 0, total: 0, share: 0 }
  const canStop = tasks.some(({ stop }) => stop !== undefined)
  return [
    { text: ` ${others}${task.isStopping ? 'Stopping: ' : ''}${clean(task.text)}`, tone: 'live' as const },
    ...(total > 0 ? [{ text: ` ${bar(theme.symbols, share, BAR)} ${done}/${total}`, tone: 'live' as const }] : []),
    ...(waits
      ? [{ text: ` ${waits.status ?? 'no answer'}, repeats in ${waits.seconds}s`, tone: 'warn' as const }]
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
/**
 * Least columns for the keys after a sentence: leaving, help, and one or two of the place; with less they get a row of
 * their own.
 */
const LEAST_HINTS = 32

/** A sentence as the footer shows it, whole where it fits its rows. */
function toastLines(text: string, width: number): string[] {
  const room = Math.max(1, width - TOAST_FRAME)
  const lines = wrap(clean(text), room)
  if (lines.length <= TOAST_ROWS) return lines
  return [...lines.slice(0, TOAST_ROWS - 1), truncate(lines.slice(TOAST_ROWS - 1).join(' '), room)]
}

/** Columns that the last row of a sentence leaves. */
function leftBeside(lines: readonly string[], width: number): number {
  return width - TOAST_FRAME - widthOf(lines.at(-1) ?? '')
}

/** Rows of a sentence and of the keys that work meanwhile. */
function toastRows(text: string, width: number): number {
  const lines = toastLines(text, width)
  return lines.length + (leftBeside(lines, width) < LEAST_HINTS ? 1 : 0)
}

/** How many rows the footer takes now: one, or what a sentence needs. */
export function useFooterRows(width: number): number {
  const toasts = useToasts()
  const pending = usePendingKeys()
  const rows = useSyncExternalStore(toasts.subscribe, () => {
    const toast = toasts.current()
    return toast ? toastRows(toast.text, width) : 1
  })
  return pending ? pendingLines(pending, width).length : rows
}

/** The symbol in front of a sentence, which shows its tone without colour. */
export function toneMark(tone: Tone, { ok, warn, error, bullet }: Theme['symbols']): string {
  const marks: Partial<Record<Tone, string>> = { ok, warn, error }
  return marks[tone] ?? bullet
}

/** What just happened, and at its end or below it the keys that work. */
function Said(props: { toast: Toast; bindings: readonly ActiveBinding[]; width: number }) {
  const { toast, bindings, width } = props
  const theme = useTheme()
  const mark = toneMark(toast.tone, theme.symbols)
  const lines = toastLines(toast.text, width)
  const left = leftBeside(lines, width)
  const rows = lines.map((line, index) =>
    theme.paint(toast.tone, ` ${index === 0 ? mark : ' '.repeat(widthOf(mark))} ${line}`),
  )
  if (left < LEAST_HINTS) rows.push(` ${hintLine(theme, bindings, width)}`)
  else rows.push(`${rows.pop() ?? ''}  ${hintLine(theme, bindings, left)}`)
  return rows.map((row, index) => (
    <Text key={index} wrap="truncate">
      {row}
    </Text>
  ))
}

/** Last lines: how a sequence of keys can go on, else what just happened and the keys that work now. */
export function Footer() {
  const theme = useTheme()
  const { width } = useSize()
  const toast = useCurrentToast()
  const bindings = useActiveBindings()
  const pending = usePendingKeys()
  const tasks = useCurrentTasks()
  const waits = useWaitingWrite()
  const key = useKeyName()
  if (pending) return <PendingKeys pending={pending} width={width} />
  if (toast) return <Said toast={toast} bindings={bindings} width={width} />
  const parts = taskParts(theme, tasks, key(appKeys, 'stop'), waits)
  if (parts.length === 0) return <Text wrap="truncate">{` ${hintLine(theme, bindings, width)}`}</Text>
  const taken = parts.reduce((sum, part) => sum + widthOf(part.text), GAP + 1)
  const task = parts.map(part => theme.paint(part.tone, part.text)).join('') + ' '.repeat(GAP)
  return (
    <Text wrap="truncate">
      {' '}
      <Spinner left={1} />
      {`${task}${hintLine(theme, bindings, width - taken)}`}
    </Text>
  )
}
