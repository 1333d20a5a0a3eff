import { clean } from '../../tui/theme/text.ts'

/** An option of a field; its texts may come from outside. */
export type FieldOption = {
  value: string
  label: string
  /** Text shown beside the label. */
  detail?: string | undefined
}

/**
 * How a field is filled in; its value is always a text:
 * - `text`, also for values of other types; `lines` is a text of any number of lines, with `isOne` a single value,
 * which typing replaces if it was prefilled; `secret` is never shown
 * - `number`: a text that is typed, see {@link numberProblem}
 * - `toggle`: `yes` or nothing
 * - `choice`: the value of one option, which is the highlighted one; none while the value is not that of an option
 * - `choices`: any of the options, see {@link valuesOf}; with `repeats` each of them several times
 * - `menu`: options that act at once, and hold no value
 * - `lead`: a line that goes directly to the button that acts, past the fields after it
 */
export type FieldInput =
  | { kind: 'text' | 'secret' | 'toggle' | 'lead' }
  | { kind: 'lines'; isOne?: true }
  | { kind: 'number'; least: number; most: number; whole: boolean }
  | { kind: 'choice'; options: readonly FieldOption[]; none?: string }
  | { kind: 'choices'; options: readonly FieldOption[]; none?: string; repeats?: true }
  | { kind: 'menu'; options: readonly FieldOption[]; onPick: (value: string) => void | Promise<void> }

/** The value of a toggle that is on. */
export const YES = 'yes'

const SEPARATOR = '\n'

/** Returns the selected values of a `choices` field. */
export function valuesOf(text: string): string[] {
  return text === '' ? [] : text.split(SEPARATOR)
}

/** Returns the text of a `choices` field. */
export function textOfValues(values: readonly string[]): string {
  return values.join(SEPARATOR)
}

/** Adds a value, or removes it if it is already there. */
export function toggled(text: string, value: string): string {
  const values = valuesOf(text)
  return textOfValues(values.includes(value) ? values.filter(each => each !== value) : [...values, value])
}

/** Adds a value again. */
export function onceMore(text: string, value: string): string {
  return textOfValues([...valuesOf(text), value])
}

/** Removes the last occurrence of a value. */
export function onceLess(text: string, value: string): string {
  const values = valuesOf(text)
  const last = values.lastIndexOf(value)
  return textOfValues(values.filter((_, at) => at !== last))
}

/** Returns the options of a field; a toggle and a typed field have none. */
export function optionsOf(input: FieldInput | undefined): readonly FieldOption[] {
  return input && 'options' in input ? input.options : []
}

/** Whether the person types the value. */
export function isTyped(input: FieldInput | undefined): boolean {
  return input === undefined || ['text', 'lines', 'secret', 'number'].includes(input.kind)
}

/** Returns a value as shown while another field is active. */
export function valueText(input: FieldInput | undefined, text: string): string {
  if (!input) return text
  if (input.kind === 'secret') return text === '' ? '' : 'given, not shown'
  if (input.kind === 'toggle') return text === YES ? 'yes' : 'no'
  if (input.kind === 'choice' || input.kind === 'choices') {
    const labels = new Map(input.options.map(({ value, label }) => [value, label]))
    const chosen = input.kind === 'choice' && text !== '' ? [text] : valuesOf(text)
    if (chosen.length === 0) return labels.get('') ?? input.none ?? 'none'
    return chosen.map(value => clean(labels.get(value) ?? value)).join(', ')
  }
  return isTyped(input) ? text : ''
}

/** Returns what is wrong with a typed number. An empty text is not a mistake. */
export function numberProblem(
  text: string,
  { least, most, whole }: { least: number; most: number; whole: boolean },
): string | undefined {
  const typed = text.trim()
  if (typed === '') return undefined
  const number = Number(typed)
  const fits = Number.isFinite(number) && number >= least && number <= most
  if (fits && (!whole || Number.isInteger(number))) return undefined
  return `It must be a ${whole ? 'whole number' : 'number'} from ${least} to ${most}.`
}
