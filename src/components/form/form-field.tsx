import { Box, Text } from 'ink'
import { clean, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Tone } from '../../tui/theme/theme.ts'
import { textRows, TextField } from '../text-field/text-field.tsx'
import { isTyped, optionsOf, valuesOf, valueText, YES, type FieldInput } from './field-input.ts'
import { suggestionKeys } from './form-keys.ts'
import { firstOption, OPTION_ROWS } from './form-layout.ts'

/** The appearance of a field; all texts may come from outside. */
export type FormFieldLook = {
  /** Identifies the field while other fields appear and disappear; without it the position does. */
  id?: string
  label: string
  /** Heading of the group of fields that starts with this one. */
  heading?: string
  /** Names of the path to the field, which form the label; if there is not room for all, the last ones are shown. */
  names?: readonly string[]
  required?: boolean
  /** The field is required if the field with this name has a value. */
  requiredWith?: string | undefined
  /** Type or unit of the value in a few words. */
  kind?: string
  /** Shown in place of an empty text, to say what that means. */
  empty?: string | undefined
  /** Note shown below while the field is active. */
  note: string | undefined
  /** The error in the typed text. */
  error: string | undefined
  /** The question about this field that the form asks before it continues. */
  question?: string
  /** How it is filled in; by default as text. */
  input?: FieldInput
  /** Suggested texts; shown while the field is active. */
  suggestions?: readonly string[]
}

const INDENT = 2
const NOTE_ROWS = 3
/** Columns before the label of an option: margin, pointer and box. */
const OPTION_INDENT = 8

function noteLines(field: FormFieldLook, width: number): string[] {
  return field.note ? wrap(clean(field.note.replaceAll(/\s+/g, ' ')), width - INDENT, { most: NOTE_ROWS }) : []
}

/** Returns the error or the question of a field, each line with its sign and tone. */
function alertLines(field: FormFieldLook, width: number): { tone: 'error' | 'warn'; lines: string[] } {
  const text = field.question ?? field.error
  const lines = text ? wrap(clean(text), width - INDENT - 2, { most: NOTE_ROWS }) : []
  return { tone: field.question === undefined ? 'error' : 'warn', lines }
}

/** Returns the rows of an active field's input. */
function inputRows({ input }: FormFieldLook, text: string, width: number): number {
  if (isTyped(input)) return textRows(text, width - INDENT)
  // Without options, one line says that there are none.
  return input && 'options' in input ? Math.max(1, Math.min(OPTION_ROWS, input.options.length)) : 0
}

/** Returns the rows of a field: an active one shows its note and all of its text, or its options. */
export function fieldRows(field: FormFieldLook, text: string, width: number, active: boolean): number {
  const alerts = alertLines(field, width).lines.length
  const heading = field.heading === undefined ? 0 : 1
  if (!active) return heading + 1 + alerts
  const suggested = field.suggestions?.length ? 1 : 0
  return heading + 1 + inputRows(field, text, width) + suggested + noteLines(field, width).length + alerts
}

type FieldProps = {
  field: FormFieldLook
  text: string
  width: number
  /** Columns of the labels, after which the values start. */
  labelColumns: number
  active: boolean
  /** The current option. */
  option: number
  onText: (text: string) => void
  /** Moves to the previous or next field. */
  onBeyond: (by: 1 | -1) => void
  /** Handles a pasted text that fills more than one field. */
  onPaste?: ((text: string) => boolean) | undefined
  onCancel: () => void
  /** The field has not been changed yet. */
  isUntouched: boolean
}

/** Shows a field: its label, and while it is active its input and what is expected. */
export function FormField(props: FieldProps) {
  const { field, width, active } = props
  const theme = useTheme()
  const margin = ' '.repeat(INDENT)
  const alert = alertLines(field, width)
  return (
    <Box flexDirection="column" flexShrink={0}>
      {field.heading !== undefined && (
        <Text wrap="truncate">{theme.paint('strong', truncate(clean(field.heading), width))}</Text>
      )}
      <LabelRow {...props} />
      {active && <FieldBody {...props} />}
      {active && field.suggestions && field.suggestions.length > 0 && (
        <Suggestions values={field.suggestions} text={props.text} width={width} onText={props.onText} />
      )}
      {alert.lines.map((line, index) => (
        <Text key={`alert ${index}`} wrap="truncate">
          {margin + theme.paint(alert.tone, `${index === 0 ? theme.symbols[alert.tone] : ' '} ${line}`)}
        </Text>
      ))}
      {active &&
        noteLines(field, width).map((line, index) => (
          <Text key={`note ${index}`} wrap="truncate">
            {margin + theme.paint('muted', line)}
          </Text>
        ))}
    </Box>
  )
}

/** Columns between a label and its value, and between the value and its kind. */
const GAP = 2

/** Returns ` 7 of 53` if there are more options than are visible. */
function placeAmong(count: number, option: number): string {
  return count > OPTION_ROWS ? `  ${option < 0 ? 'none' : option + 1} of ${count}` : ''
}

/** Returns the part of a field's label that fits in a form of this width. */
export function labelText(field: FormFieldLook, width: number): string {
  const { label, names = [] } = field
  const most = Math.floor(width / 2)
  const labels = [label, ...names.slice(1).map((_, at) => `….${names.slice(at + 1).join('.')}`)].map(clean)
  return labels.find(each => truncate(each, most) === each) ?? truncate(labels.at(-1)!, most)
}

/** Shows the label, then the value in its column, then what is expected. */
function LabelRow({ field, text, width, labelColumns, active, option }: FieldProps) {
  const theme = useTheme()
  const label = labelText(field, width)
  /** Several options may be selected, some of them below the visible ones. */
  const isShown = !active || field.input?.kind === 'toggle' || field.input?.kind === 'choices'
  const { shown, tone } = shownOf(field, text)
  const gap = ' '.repeat(Math.max(0, labelColumns - widthOf(label)) + GAP)
  const room = Math.max(0, width - INDENT - widthOf(label) - gap.length)
  const place = active ? placeAmong(optionsOf(field.input).length, option) : ''
  const value = isShown ? truncate(clean(shown.replaceAll('\n', theme.symbols.lineBreak)), room - place.length) : ''
  const used = widthOf(value) + place.length
  const { kind, required } = kindOf(field, used === 0 ? { room, least: 4 } : { room: room - used - GAP })
  const beside = kind || required ? `${used > 0 ? ' '.repeat(GAP) : ''}(${kind}${kind && required ? ', ' : ''}` : ''
  return (
    <Text wrap="truncate">
      {theme.paint(active ? 'accent' : 'plain', `${active ? theme.symbols.pointer : ' '} ${label}`)}
      {gap}
      {theme.paint(tone, value)}
      {theme.paint('muted', place + beside)}
      {theme.paint('warn', required)}
      {beside && theme.paint('muted', ')')}
    </Text>
  )
}

/** Returns the value of a field as text, or what an empty one means. */
function shownOf({ input, empty }: FormFieldLook, text: string): { shown: string; tone: Tone } {
  const shown = valueText(input, text)
  if (input?.kind === 'toggle') return { shown: `${text === YES ? '[x]' : '[ ]'} ${shown}`, tone: 'plain' }
  return shown === '' ? { shown: empty ?? '', tone: 'muted' } : { shown, tone: 'plain' }
}

/**
 * Returns what is expected, fitted into the room after a label: it is cut only if nothing else is there, otherwise it
 * is shown in full or left out.
 */
function kindOf(field: FormFieldLook, { room, least }: { room: number; least?: number }) {
  const kind = clean(field.kind ?? '')
  const required = field.required ? clean(['required', field.requiredWith].filter(Boolean).join(' with ')) : ''
  const left = room - '()'.length - widthOf(required)
  const most = left - (required ? ', '.length : 0)
  if (least !== undefined) return { kind: truncate(kind, Math.max(least, most)), required }
  return { kind: widthOf(kind) <= most ? kind : '', required: left >= 0 ? required : '' }
}

function FieldBody(props: FieldProps) {
  const { field, width } = props
  if (!isTyped(field.input)) return <Options {...props} />
  return (
    <Box paddingLeft={INDENT} width={width}>
      <TextField
        value={props.text}
        onChange={props.onText}
        onSubmit={() => undefined}
        onCancel={props.onCancel}
        lines={field.input?.kind === 'lines'}
        width={width - INDENT}
        wraps
        onBeyond={props.onBeyond}
        onPaste={props.onPaste}
        isPrefilled={props.isUntouched && (field.input?.kind !== 'lines' || field.input.isOne === true)}
        {...(field.input?.kind === 'secret' && { mask: '*' })}
        {...(field.empty !== undefined && { placeholder: field.empty })}
      />
    </Box>
  )
}

/** Shows a line of suggestions, starting with the one that the key accepts. */
function Suggestions(props: {
  values: readonly string[]
  text: string
  width: number
  onText: (text: string) => void
}) {
  const { values, text, onText } = props
  const theme = useTheme()
  const key = useKeyName()(suggestionKeys, 'take')
  const next = (values.indexOf(text) + 1) % values.length
  useBindings(suggestionKeys, { take: () => onText(values[next]!) })
  const listed = [...values.slice(next), ...values.slice(0, next)].map(value => clean(value)).join('  ')
  const line = truncate(`${' '.repeat(INDENT)}${key}: ${listed}`, props.width)
  return <Text wrap="truncate">{theme.paint('muted', line)}</Text>
}

function Options({ field, text, width, option }: FieldProps) {
  const theme = useTheme()
  const { input } = field
  const options = optionsOf(input)
  const first = firstOption(options.length, option)
  const chosen = input?.kind === 'choices' ? valuesOf(text) : [text]
  if (input && 'options' in input && options.length === 0)
    return <Text wrap="truncate">{theme.paint('muted', '    There is nothing to choose from.')}</Text>
  return options.slice(first, first + OPTION_ROWS).map(({ value, label, detail }, offset) => {
    const isHere = first + offset === option
    const name = truncate(clean(label), Math.max(8, width - OPTION_INDENT))
    const beside = truncate(clean(detail ?? ''), Math.max(0, width - OPTION_INDENT - widthOf(name) - 2))
    const times = chosen.filter(each => each === value).length
    const line = `${isHere ? theme.symbols.pointer : ' '} ${boxOf(input, times)}${name}`
    return (
      <Text key={value} wrap="truncate">
        {`  ${theme.paint(isHere ? 'selected' : 'plain', line)}  ${theme.paint('muted', beside)}`}
      </Text>
    )
  })
}

/** Returns the box of an option, with the number of times that it is selected. */
function boxOf(input: FieldInput | undefined, times: number): string {
  if (input?.kind === 'choices') return `[${times > 1 ? times : times === 1 ? 'x' : ' '}] `
  if (input?.kind === 'choice') return times > 0 ? '(o) ' : '( ) '
  return ''
}
