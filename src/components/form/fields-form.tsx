import { Box, Text } from 'ink'
import { useState } from 'react'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { clean, truncate, wrap } from '../../app/theme/text.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import type { Tone } from '../../app/theme/theme.ts'
import { useMouseArea } from '../mouse-areas.tsx'
import { useSize } from '../size.tsx'
import { formKeys } from './form-keys.ts'
import { FormField, fieldRows, type FormFieldLook } from './form-field.tsx'
import { fieldAt, firstShown, shownCount } from './form-layout.ts'

export type FormText = { text: string; tone: Tone }

/** Columns that the form leaves free at each side. */
const MARGIN = 1

/**
 * A form of one-line fields that ends in its question: what will happen, Cancel, and the act. It starts
 * on the first field, or on Cancel when there is nothing to fill in; Enter goes on and acts only on the act.
 */
export function FieldsForm(props: {
  fields: readonly FormFieldLook[]
  texts: readonly string[]
  onText: (index: number, text: string) => void
  /** Shown above the fields. */
  about: readonly FormText[]
  /** What will happen, shown above the answers. */
  effect: readonly FormText[]
  act: string
  /** Acts, or answers which field must be corrected first. */
  onAct: () => Promise<number | undefined>
  onCancel: () => void
}) {
  const { fields, texts } = props
  const { width, height } = useSize()
  const cancelAt = fields.length
  const actAt = fields.length + 1
  const [at, setAt] = useState(0)
  const inner = Math.max(1, width - 2 * MARGIN)
  const about = wrapped(props.about, inner)
  const effect = wrapped(props.effect, inner)
  const heights = fields.map((field, index) => fieldRows(field, texts[index] ?? '', inner, index === at))
  const answers = effect.length + 2
  const aboutShown = about.slice(0, Math.max(1, Math.floor((height - answers) / 3)))
  const rows = Math.max(1, height - answers - aboutShown.length - 1)
  const first = firstShown(heights, at, rows)
  const shown = shownCount(heights, first, rows)
  const act = async (): Promise<void> => {
    const wrong = await props.onAct()
    if (wrong !== undefined) setAt(wrong)
  }
  useMouseArea(
    {
      press({ row }) {
        const field = fieldAt(heights.slice(0, first + shown), first, row)
        if (field !== undefined) setAt(field)
      },
    },
    { top: aboutShown.length, height: rows },
  )
  useMouseArea(
    { press: ({ row }) => (row === 0 ? props.onCancel() : void act()) },
    { top: height - 2, height: 2 },
  )
  const choose = (): void | Promise<void> => {
    if (at === actAt) return act()
    if (at === cancelAt) return props.onCancel()
    // From the last field on lies the act, not Cancel: the fields were filled in for it.
    setAt(at + 1 === cancelAt ? actAt : at + 1)
  }
  useBindings(formKeys, {
    next: () => setAt((at + 1) % (actAt + 1)),
    previous: () => setAt((at + actAt) % (actAt + 1)),
    choose,
    send: act,
    cancel: props.onCancel,
  })
  return (
    <Box flexDirection="column" paddingX={MARGIN} width={width} height={height}>
      <Words lines={aboutShown} />
      <Box flexDirection="column" height={rows} flexShrink={0} overflow="hidden">
        {fields.slice(first, first + shown).map((field, offset) => (
          <FormField
            key={first + offset}
            field={field}
            text={texts[first + offset] ?? ''}
            width={inner}
            active={first + offset === at}
            onText={text => props.onText(first + offset, text)}
            onCancel={props.onCancel}
          />
        ))}
      </Box>
      <Position fields={fields.length} first={first} shown={shown} />
      <Words lines={effect} />
      <Answer text="Cancel" chosen={at === cancelAt} width={inner} />
      <Answer text={props.act} chosen={at === actAt} width={inner} />
    </Box>
  )
}

function wrapped(lines: readonly FormText[], width: number): FormText[] {
  return lines.flatMap(({ text, tone }) => wrap(clean(text), width).map(part => ({ text: part, tone })))
}

function Words(props: { lines: readonly FormText[] }) {
  const theme = useTheme()
  return props.lines.map((line, index) => (
    <Text key={index} wrap="truncate">
      {theme.paint(line.tone, line.text)}
    </Text>
  ))
}

/** A row that says how many fields do not fit, else is blank. */
function Position(props: { fields: number; first: number; shown: number }) {
  const theme = useTheme()
  const hidden = props.fields - props.shown
  const text =
    hidden > 0 ? `fields ${props.first + 1} to ${props.first + props.shown} of ${props.fields}` : ' '
  return <Text wrap="truncate">{theme.paint('muted', text)}</Text>
}

function Answer(props: { text: string; chosen: boolean; width: number }) {
  const theme = useTheme()
  const text = truncate(clean(props.text), props.width - 2)
  return (
    <Text wrap="truncate">
      {props.chosen ? theme.paint('selected', `${theme.symbols.pointer} ${text}`) : `  ${text}`}
    </Text>
  )
}
