import { parseExact } from '../../lib/json.ts'
import type { Answer } from './call-log.ts'
import { argumentChanges, type ArgumentChange } from './argument-changes.ts'

/** Returns structural differences between two answers. Text that is JSON is compared as JSON. */
export function resultChanges(one: Answer, other: Answer): ArgumentChange[] {
  return argumentChanges(comparable(one), comparable(other), 'exact')
}

/** Returns a result with JSON texts parsed, and without its duration, which is shown separately. */
function comparable({ value }: Answer): Record<string, unknown> {
  const { durationMs: _durationMs, ...rest } = value as Record<string, unknown>
  return Object.fromEntries(Object.entries(rest).map(([name, each]) => [name, read(each)]))
}

function read(part: unknown): unknown {
  if (!Array.isArray(part)) return part
  return part.map((each: unknown) => {
    const { text } = Object(each) as { text?: unknown }
    return typeof text === 'string' ? { ...Object(each), text: valueIn(text) } : each
  })
}

function valueIn(text: string): unknown {
  if (!/^\s*[[{]/.test(text)) return text
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

/** Returns the lines that differ between two texts, without the common beginning and end. Line numbers start at 1. */
export function changedLines(one: string, other: string): { from: number; removed: string[]; added: string[] } {
  const [before, after] = [one.split('\n'), other.split('\n')]
  const shorter = Math.min(before.length, after.length)
  let head = 0
  while (head < shorter && before[head] === after[head]) head += 1
  let tail = 0
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail += 1
  const middle = (lines: string[]) => lines.slice(head, lines.length - tail)
  return { from: head + 1, removed: middle(before), added: middle(after) }
}
