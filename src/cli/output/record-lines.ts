import { greatest } from '../../lib/extremes.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { isoSeconds } from '../../lib/times.ts'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'

/** Returns a replacement for the value of a field, such as a name for an id; undefined for the value itself. */
export type NameOf = (field: string, value: string) => string | undefined

/** Below this depth, values are printed as JSON. */
const MOST_LEVELS = 6
const NO_NAMES: NameOf = () => undefined

/** Formats a record for people: a line for each field with a value, times as times, nested fields indented. */
export function recordLines(record: object, nameOf: NameOf = NO_NAMES, level = 0): string[] {
  const fields = Object.entries(record).filter(([, value]) => !isEmpty(value))
  const labels = fields.map(([field]) => labelOf(field))
  const width = Math.max(0, greatest(labels.map(widthOf)))
  return fields.flatMap(([field, value], index) => {
    const label = labels[index] ?? ''
    const block = blockOf(field, value, nameOf, level)
    if (block) return [label, ...block.map(line => `  ${line}`.trimEnd())]
    return [`${fit(label, width)}  ${textOf(field, value, nameOf)}`]
  })
}

function isEmpty(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return true
  return typeof value === 'object' && Object.values(value).every(isEmpty)
}

/** Returns the lines of a value that does not fit beside its label. */
function blockOf(field: string, value: unknown, nameOf: NameOf, level: number): string[] | undefined {
  if (typeof value === 'string' && value.trimEnd().includes('\n')) return value.trimEnd().split('\n').map(clean)
  if (typeof value !== 'object' || value === null || level >= MOST_LEVELS) return undefined
  if (!Array.isArray(value)) return recordLines(value, nameOf, level + 1)
  if (!value.some(item => typeof item === 'object')) return undefined
  return value.flatMap(item => {
    const lines =
      typeof item === 'object' && item !== null ? recordLines(item, nameOf, level + 1) : [textOf(field, item)]
    return lines.map((line, index) => (index === 0 ? `- ${line}` : `  ${line}`))
  })
}

function textOf(field: string, value: unknown, nameOf: NameOf = NO_NAMES): string {
  if (Array.isArray(value) && !value.some(item => typeof item === 'object'))
    return value.map(item => textOf(field, item, nameOf)).join(', ')
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const time = field.endsWith('At') && ['number', 'string'].includes(typeof value) ? timeOf(value) : undefined
  if (time !== undefined) return time
  if (typeof value !== 'string') return clean(JSON.stringify(value))
  const name = nameOf(field, value)
  return clean(name === undefined ? value : `${name} (${value})`)
}

function timeOf(value: unknown): string | undefined {
  const time = toEpochMs(value as string | number)
  return time === undefined ? undefined : isoSeconds(time)
}

/** Returns a label: `createdAt` becomes `Created at`, `useOAuth` becomes `Use OAuth`. */
function labelOf(field: string): string {
  const words = clean(field)
    .replaceAll(/(?<=[a-z\d])(?=[A-Z])/g, ' ')
    .replaceAll(/(?<= )[A-Z](?=[a-z])/g, letter => letter.toLowerCase())
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`
}
