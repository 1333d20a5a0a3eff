import { Box, Text } from 'ink'
import { useState } from 'react'
import { unavailable } from '../../app/keymap/binding.ts'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { clean, truncate, wrap } from '../../app/theme/text.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import type { Tone } from '../../app/theme/theme.ts'
import { useMouseArea } from '../mouse-areas.tsx'
import { useSize } from '../size.tsx'
import { isTyped, optionsOf, textOfValues, toggled, valuesOf, YES, type FieldInput } from './field-input.ts'
import { choiceKeys, formKeys } from './form-keys.ts'
import { FormField, fieldRows, type FormFieldLook } from './form-field.tsx'
import { fieldAt, firstShown, OPTION_ROWS, shownCount } from './form-layout.ts'

export type FormText = { text: string; tone: Tone }

/** Columns that the form leaves free at each side. */
const MARGIN = 1

/** Where the person is: a field by its key or one of the two answers, and on which of its options. */
type Standing = { key: string; option: number }

const CANCEL = 'answer cancel'
const ACT = 'answer act'

/**
 * A form that ends in its question: what will happen, Cancel, and the act. It starts on the first field, or on Cancel when
 * there is nothing to fill in; Enter goes on and acts only on the act. How each field is filled in: {@link FieldInput}.
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
  /** Acts, or answers which field must be corrected first: by its position, or by its id where it is yet to appear. */
  onAct: () => Promise<number | string | undefined>
  onCancel: () => void
}) {
  const { fields, texts } = props
  const { width, height } = useSize()
  const place = usePlaceInForm(fields, texts)
  const { at, option, actAt, cancelAt, go } = place
  const inner = Math.max(1, width - 2 * MARGIN)
  const about = wrapped(props.about, inner)
  const effect = wrapped(props.effect, inner).slice(0, Math.max(1, Math.floor(height / 2)))
  const heights = fields.map((field, index) => fieldRows(field, texts[index] ?? '', inner, index === at))
  const answers = effect.length + 2
  const aboutShown = about.slice(0, Math.max(1, Math.floor((height - answers) / 3)))
  const rows = Math.max(1, height - answers - aboutShown.length - 1)
  const first = firstShown(heights, at, rows)
  const shown = shownCount(heights, first, rows)
  const act = async (): Promise<void> => {
    const wrong = await props.onAct()
    if (typeof wrong === 'string') place.goToId(wrong)
    else if (wrong !== undefined) go(wrong)
  }
  useMouseArea(
    {
      press({ row }) {
        const field = fieldAt(heights.slice(0, first + shown), first, row)
        if (field !== undefined) go(field)
      },
    },
    { top: aboutShown.length, height: rows },
  )
  useMouseArea(
    { press: ({ row }) => (row === 0 ? props.onCancel() : void act()) },
    { top: height - 2, height: 2 },
  )
  const active = fields[at]
  const offered = optionsOf(active?.input)
  const onward = (): void => go(at + 1 === cancelAt ? actAt : at + 1)
  const choose = (): void | Promise<void> => {
    if (at === actAt) return act()
    if (at === cancelAt) return props.onCancel()
    const { input } = active ?? {}
    const here = offered[option]
    if (input?.kind === 'menu') return here && input.onPick(here.value)
    if (input?.kind === 'choice' && here) props.onText(at, here.value)
    if (input?.kind === 'lead') return go(firstWrong(fields) ?? actAt)
    // From the last field on lies the act, not Cancel: the fields were filled in for it.
    return onward()
  }
  useBindings(formKeys, {
    next: () => go((at + 1) % (actAt + 1)),
    previous: () => go((at + actAt) % (actAt + 1)),
    down: () => (option + 1 < offered.length ? go(at, option + 1) : go((at + 1) % (actAt + 1))),
    up: () => (option > 0 ? go(at, option - 1) : go((at + actAt) % (actAt + 1))),
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
            key={keyOf(field, first + offset)}
            field={field}
            text={texts[first + offset] ?? ''}
            width={inner}
            active={first + offset === at}
            option={option}
            onText={text => props.onText(first + offset, text)}
            onCancel={props.onCancel}
          />
        ))}
      </Box>
      {active?.input && !isTyped(active.input) && active.input.kind !== 'lead' && (
        <ChoiceKeys
          input={active.input}
          text={texts[at] ?? ''}
          option={option}
          onText={text => props.onText(at, text)}
          onOption={to => go(at, to)}
        />
      )}
      <Position fields={fields.length} first={first} shown={shown} />
      <Words lines={effect} />
      <Answer text="Cancel" chosen={at === cancelAt} width={inner} />
      <Answer text={props.act} chosen={at === actAt} width={inner} />
    </Box>
  )
}

function keyOf(field: FormFieldLook | undefined, index: number): string {
  return field?.id ?? `field ${index}`
}

/** Where one is in the form, which may change its fields. */
function usePlaceInForm(fields: readonly FormFieldLook[], texts: readonly string[]) {
  const cancelAt = fields.length
  const actAt = fields.length + 1
  const keys = [...fields.map(keyOf), CANCEL, ACT]
  const optionAt = (index: number): number => {
    const { input } = fields[index] ?? {}
    if (input?.kind !== 'choice') return 0
    return Math.max(
      0,
      input.options.findIndex(({ value }) => value === texts[index]),
    )
  }
  const [standing, setStanding] = useState<Standing>(() => ({ key: keys[0]!, option: optionAt(0) }))
  const at = Math.max(0, keys.indexOf(standing.key))
  const count = optionsOf(fields[at]?.input).length
  return {
    at,
    option: Math.min(standing.option, Math.max(0, count - 1)),
    cancelAt,
    actAt,
    /** Goes to a field or an answer; without an option, to the one that is chosen there. */
    go: (index: number, option = optionAt(index)): void => setStanding({ key: keys[index]!, option }),
    /** Goes to the field of that id, which may be one that the next draw brings. */
    goToId: (id: string): void => setStanding({ key: id, option: 0 }),
  }
}

function firstWrong(fields: readonly FormFieldLook[]): number | undefined {
  const wrong = fields.findIndex(({ error }) => error !== undefined)
  return wrong === -1 ? undefined : wrong
}

/** The keys of a field that is not typed; shows nothing itself. */
function ChoiceKeys(props: {
  input: FieldInput
  text: string
  option: number
  onText: (text: string) => void
  onOption: (option: number) => void
}) {
  const { input, text, option } = props
  const options = optionsOf(input)
  const here = options[option]
  const to = (wanted: number) => () => props.onOption(Math.max(0, Math.min(wanted, options.length - 1)))
  useBindings(choiceKeys, {
    pick() {
      if (input.kind === 'toggle') props.onText(text === YES ? '' : YES)
      else if (!here) return undefined
      else if (input.kind === 'menu') return input.onPick(here.value)
      else props.onText(input.kind === 'choices' ? toggled(text, here.value) : here.value)
      return undefined
    },
    further: to(option + OPTION_ROWS),
    nearer: to(option - OPTION_ROWS),
    first: to(0),
    last: to(options.length - 1),
    all:
      input.kind === 'choices'
        ? () => {
            const every = input.options.map(({ value }) => value)
            props.onText(valuesOf(text).length === every.length ? '' : textOfValues(every))
          }
        : unavailable('Only one can be taken here.'),
  })
  return null
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
