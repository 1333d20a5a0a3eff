import { Box, Text } from 'ink'
import { useCurrentTasks, type Task } from '../../hooks/tasks.tsx'
import { useWaitingWrite } from '../../hooks/use-open-writes.ts'
import { useSize } from '../../components/size.tsx'
import { Spinner } from '../../components/spinner.tsx'
import { useCurrentToast, type Toast } from '../../components/toasts.tsx'
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

const IMPORTANCES = ['first', true, 'spare', 'later'] as const

/** Returns the most important hints that fit a width. A hint that is too long leaves its room to the next one. */
export function chooseHints(
  bindings: readonly ActiveBinding[],
  width: number,
): { left: ActiveBinding[]; right: ActiveBinding[] } {
  const hinted = bindings.filter(binding => binding.hint && !binding.unavailable)
  const byImportance = IMPORTANCES.flatMap(importance => hinted.filter(({ hint }) => hint === importance))
  // The key to leave is always included.
  const taken = new Set(hinted.filter(({ hint, keys }) => hint === 'end' || keys[0] === 'escape'))
  for (const binding of byImportance) if (1 + widthOfAll([...taken, binding]) <= width) taken.add(binding)
  const atEnd = ({ hint }: ActiveBinding): boolean => hint === 'end' || hint === 'spare'
  // The right end keeps the order of the declaration.
  return {
    left: byImportance.filter(each => !atEnd(each) && taken.has(each)),
    right: hinted.filter(each => atEnd(each) && taken.has(each)),
  }
}

/** Formats hints in a line of a width, with the `end` and `spare` ones at its right end. */
function hintLine(theme: Theme, bindings: readonly ActiveBinding[], width: number): string {
  const { left, right } = chooseHints(bindings, width)
  const space = ' '.repeat(Math.max(0, width - 1 - widthOfAll(left) - widthOfAll(right)))
  const line = (hints: readonly ActiveBinding[]): string =>
    hints.map(binding => hintText(theme, binding) + ' '.repeat(GAP)).join('')
  return `${line(left)}${space}${line(right).trimEnd()}`
}

/** A key that can follow, and what it does. */
type Continuation = { keys: string; label: string; tone: Tone }

/**
 * Returns the keys of a sequence pressed so far, and each key that continues it, in as many lines as needed: `, p
 * projects s servers`.
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

/** Returns the columns of the pressed keys, which come before the continuations, with a blank at each side. */
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
 * Returns ` Examining 12 servers… ━━━─────── 4/12 Ctrl+X stop`, after the spinner; of several tasks the latest one,
 * with their number. `waits` says what a write waits for.
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

/** Maximum number of rows that a sentence takes. */
const NOTICE_ROWS = 4
/** Columns of the margin and mark before a sentence, and of the margin after it. */
const NOTICE_FRAME = 4
/** Columns of the edge left free on both sides of a message. */
const EDGE = 2

/**
 * Returns a message. If it fits a line, it is in the lower edge of the page, where it hides nothing; if not, it has its
 * own rows above the keys, and is whole if it fits.
 */
function noticeOf({ text }: Toast, width: number, theme: Theme): { lines: string[]; inEdge: boolean } {
  const room = Math.max(1, width - NOTICE_FRAME)
  const lines = wrap(clean(text), room)
  const [only = ''] = lines
  if (lines.length === 1) return { lines, inEdge: !theme.plain && widthOf(only) + NOTICE_FRAME + 2 * EDGE <= width }
  if (lines.length <= NOTICE_ROWS) return { lines, inEdge: false }
  const last = truncate(lines.slice(NOTICE_ROWS - 1).join(' '), room)
  return { lines: [...lines.slice(0, NOTICE_ROWS - 1), last], inEdge: false }
}

/** Returns the current number of rows of the footer: rows for the keys, and for a message longer than a line. */
export function useFooterRows(width: number): number {
  const theme = useTheme()
  const toast = useCurrentToast()
  const pending = usePendingKeys()
  const notice = toast && noticeOf(toast, width, theme)
  return (pending ? pendingLines(pending, width).length : 1) + (notice && !notice.inEdge ? notice.lines.length : 0)
}

/** Returns the symbol before a message, which shows its tone without color. */
export function toneMark(tone: Tone, { ok, warn, error, bullet }: Theme['symbols']): string {
  const marks: Partial<Record<Tone, string>> = { ok, warn, error }
  return marks[tone] ?? bullet
}

function noticeRows({ tone }: Toast, lines: readonly string[], theme: Theme): string[] {
  const mark = toneMark(tone, theme.symbols)
  return lines.map((line, index) => theme.paint(tone, ` ${index === 0 ? mark : ' '.repeat(widthOf(mark))} ${line}`))
}

/** Shows a short message in the lower edge of the page; the keys stay where they are. */
export function Notice() {
  const theme = useTheme()
  const { width, height } = useSize()
  const toast = useCurrentToast()
  const notice = toast && noticeOf(toast, width, theme)
  if (!notice?.inEdge) return null
  return (
    <Box position="absolute" top={height - 1} left={EDGE}>
      <Text>{`${noticeRows(toast!, notice.lines, theme).join('')} `}</Text>
    </Box>
  )
}

/** Shows the last lines: a long message, then the continuations of a key sequence, or else the keys that work now. */
export function Footer() {
  const theme = useTheme()
  const { width } = useSize()
  const toast = useCurrentToast()
  const pending = usePendingKeys()
  const notice = toast && noticeOf(toast, width, theme)
  const rows = notice && !notice.inEdge ? noticeRows(toast, notice.lines, theme) : []
  return (
    <Box flexDirection="column">
      {rows.map((row, index) => (
        <Text key={index} wrap="truncate">
          {row}
        </Text>
      ))}
      {pending ? <PendingKeys pending={pending} width={width} /> : <KeysNow width={width} />}
    </Box>
  )
}

/** Tasks in progress, and the keys that work now. */
function KeysNow({ width }: { width: number }) {
  const theme = useTheme()
  const bindings = useActiveBindings()
  const tasks = useCurrentTasks()
  const waits = useWaitingWrite()
  const key = useKeyName()
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
