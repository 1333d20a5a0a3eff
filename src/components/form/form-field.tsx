import { Box, Text } from 'ink'
import { clean, truncate, widthOf, wrap } from '../../app/theme/text.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { TextField } from '../text-field.tsx'

/** A field as it looks; all texts may come from outside. */
export type FormFieldLook = {
  label: string
  required: boolean
  /** Type or unit in a few words. */
  kind: string
  /** Shown below while the field is active. */
  note: string | undefined
  /** What is wrong with what was typed. */
  error: string | undefined
}

const INDENT = 2
const NOTE_ROWS = 3

function noteLines(field: FormFieldLook, width: number): string[] {
  const lines = field.note ? wrap(clean(field.note.replaceAll(/\s+/g, ' ')), width - INDENT) : []
  return lines.slice(0, NOTE_ROWS)
}

function errorLines(field: FormFieldLook, width: number): string[] {
  return field.error ? wrap(clean(field.error), width - INDENT - 2).slice(0, NOTE_ROWS) : []
}

/** Rows that a field takes: an active one shows its note and all of its text. */
export function fieldRows(field: FormFieldLook, text: string, width: number, active: boolean): number {
  const errors = errorLines(field, width).length
  if (!active) return 1 + errors
  const typed = Math.max(1, Math.ceil((widthOf(text) + 1) / Math.max(1, width - INDENT)))
  return 1 + typed + noteLines(field, width).length + errors
}

/** One field: its label, and while active the text being typed and what is expected. */
export function FormField(props: {
  field: FormFieldLook
  text: string
  width: number
  active: boolean
  onText: (text: string) => void
  onCancel: () => void
}) {
  const { field, width, active } = props
  const theme = useTheme()
  const label = truncate(clean(field.label), Math.floor(width / 2))
  const kind = truncate(clean(field.kind), Math.max(4, width - widthOf(label) - 14))
  const required = field.required ? ' required' : ''
  const value = active
    ? ''
    : `  ${truncate(clean(props.text), Math.max(0, width - widthOf(label) - widthOf(kind) - 16))}`
  const margin = ' '.repeat(INDENT)
  return (
    <Box flexDirection="column" flexShrink={0}>
      <Text wrap="truncate">
        {theme.paint(active ? 'accent' : 'plain', `${active ? theme.symbols.pointer : ' '} ${label}`)}
        {theme.paint('muted', ` ${kind}`)}
        {theme.paint('warn', required)}
        {value}
      </Text>
      {active && (
        <Box paddingLeft={INDENT} width={width}>
          <TextField
            value={props.text}
            onChange={props.onText}
            onSubmit={() => undefined}
            onCancel={props.onCancel}
          />
        </Box>
      )}
      {errorLines(field, width).map((line, index) => (
        <Text key={`error ${index}`} wrap="truncate">
          {margin + theme.paint('error', `${index === 0 ? theme.symbols.error : ' '} ${line}`)}
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
