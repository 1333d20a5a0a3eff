import { Box, Text } from 'ink'
import { useState, useEffect, useRef } from 'react'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { clean, fit, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Tone } from '../../tui/theme/theme.ts'
import { useMouseArea } from '../mouse-areas.tsx'
import { useTakenRows } from '../companion.tsx'
import { useSize } from '../size.tsx'
import { useLeaveFilled } from '../use-leave-filled.ts'
import {
  isTyped,
  onceLess,
  onceMore,
  optionsOf,
  textOfValues,
  toggled,
  valuesOf,
  YES,
  type FieldInput,
} from './field-input.ts'
import { choiceKeys, formKeys } from './form-keys.ts'
import { FormField, fieldRows, labelText, type FormFieldLook } from './form-field.tsx'
import { fieldAt, firstShown, labelColumn, OPTION_ROWS, shownCount } from './form-layout.ts'

export type FormText = { text: string; tone: Tone }

/** Columns of a button in addition to its text. */
const BUTTON = '[▌  ]'.length
/** Rows of the two buttons. */
const ANSWERS = 2
/** Free columns at each side of the form. */
const MARGIN = 1

/**
 * What has the focus: a field by its key, or one of the two buttons. `option` is the highlighted option of the field,
 * or -1 if none is selected. `moved`: the option is highlighted but not selected yet. `question`: the form asks what to
 * do with that option before it continues; pressing the same key again continues without it.
 */
type Focus = { key: string; option: number; moved?: boolean; question?: string }

const CANCEL = 'answer cancel'
const ACT = 'answer act'
/** Maximum columns of an option's label in a sentence. */
const MOST_OF_LABEL = 40

type FieldsFormProps = {
  fields: readonly FormFieldLook[]
  texts: readonly string[]
  onText: (index: number, text: string) => void
  /** Texts above the fields. */
  about: readonly FormText[]
  /** The effect, shown above the buttons. */
  effect: readonly FormText[]
  act: string
  /** Label of the button that leaves the form; `Cancel` by default. */
  leave?: string
  /**
   * Acts, or returns the field that must be corrected first: its position, or its id if the field does not show yet.
   */
  onAct: () => Promise<number | string | undefined>
  onCancel: () => void
  /** The initial texts were filled in by the person earlier, and would be lost. */
  isFilled?: boolean
  /** Suggests texts for the current field. */
  suggest?: Suggest | undefined
  /** Something other than a text was changed, so leaving asks first. */
  isChanged?: boolean
  /** Handles a pasted text that fills more than one field; returns whether it did. */
  onPaste?: ((text: string) => boolean) | undefined
  /** Receives the position of the current field. */
  onField?: (index: number) => void
}

/**
 * A form that ends with its question: the effect, Cancel, and the button that acts. It starts on the first field, or on
 * Cancel if there are no fields; Enter moves on, and acts only on that button. In a choice the highlighted option is
 * the selected one. How each field is filled in: {@link FieldInput}.
 */
export function FieldsForm(props: FieldsFormProps) {
  const { fields, texts } = props
  const { width, height } = useSize()
  const place = usePlaceInForm(fields, texts)
  const { at, option, cancelAt, go } = place
  const onField = useRef(props.onField)
  onField.current = props.onField
  useEffect(() => onField.current?.(at), [at])
  const inner = Math.max(1, width - 2 * MARGIN)
  const about = wrapped(props.about, inner)
  const isTypedHere = at < fields.length && isTyped(fields[at]?.input)
  const suggestions = useSuggestions(props.suggest, at, isTypedHere ? texts[at] : undefined)
  const looks = fields.map((field, index) => {
    if (index !== at) return field
    return { ...field, suggestions, ...(place.question !== undefined && { question: place.question }) }
  })
  const heights = looks.map((field, index) => fieldRows(field, texts[index] ?? '', inner, index === at))
  // Independent of the focus, so that nothing above the fields moves.
  const rowsAt = (active: boolean) => fields.map((field, index) => fieldRows(field, texts[index] ?? '', inner, active))
  const resting = rowsAt(false)
  const unfolded = Math.max(0, ...rowsAt(true).map((most, index) => most - resting[index]!))
  const mostRows = resting.reduce((sum, each) => sum + each, unfolded)
  const whole = wrapped(props.effect, inner)
  useTakenRows(() => about.length + mostRows + 1 + whole.length + ANSWERS)
  const left = height - about.length - mostRows - 1 - ANSWERS
  const effect = whole.slice(0, Math.max(1, Math.floor(height / 2), left))
  const answers = effect.length + ANSWERS
  const aboutShown = about.slice(0, Math.max(1, Math.floor((height - answers) / 3), height - answers - 1 - mostRows))
  const rows = Math.max(1, height - answers - aboutShown.length - 1)
  const labelColumns = labelColumn(
    fields.map(field => widthOf(labelText(field, inner))),
    inner,
  )
  const first = firstShown(heights, at, rows)
  const shown = shownCount(heights, first, rows)
  const { onText, isChanged, isUntouched } = useChanged(props)
  const leave = useLeaveFilled(isChanged || props.isChanged === true || props.isFilled === true, props.onCancel)
  const { act, toOption, beyond } = useFormKeys({ ...props, onText }, place, leave)
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
    { top: height - ANSWERS, height: ANSWERS },
  )
  const active = fields[at]
  return (
    <Box flexDirection="column" paddingX={MARGIN} width={width} height={height}>
      <Words lines={aboutShown} />
      <Box flexDirection="column" height={rows} flexShrink={0} overflow="hidden">
        {looks.slice(first, first + shown).map((field, offset) => (
          <FormField
            key={keyOf(field, first + offset)}
            field={field}
            text={texts[first + offset] ?? ''}
            width={inner}
            labelColumns={labelColumns}
            active={first + offset === at}
            option={option}
            onText={text => onText(first + offset, text)}
            onBeyond={beyond}
            onPaste={props.onPaste}
            onCancel={leave}
            isUntouched={isUntouched(first + offset) && props.isFilled !== true}
          />
        ))}
      </Box>
      {active?.input && !isTyped(active.input) && active.input.kind !== 'lead' && (
        <ChoiceKeys
          input={active.input}
          text={texts[at] ?? ''}
          option={option}
          onText={text => {
            place.took()
            onText(at, text)
          }}
          onOption={toOption}
        />
      )}
      <Position fields={fields.length} first={first} shown={shown} />
      <Words lines={effect} />
      <Answers texts={[props.leave ?? 'Cancel', props.act]} chosen={at - cancelAt} width={inner} />
    </Box>
  )
}

function keyOf(field: FormFieldLook | undefined, index: number): string {
  return field?.id ?? `field ${index}`
}

/** Returns the position of the focus in the form, which may change its fields. */
function usePlaceInForm(fields: readonly FormFieldLook[], texts: readonly string[]) {
  const cancelAt = fields.length
  const actAt = fields.length + 1
  const keys = [...fields.map(keyOf), CANCEL, ACT]
  /** Returns the selected option; the first if any number can be selected. */
  const optionAt = (index: number): number => {
    const { input } = fields[index] ?? {}
    return input?.kind === 'choice' ? input.options.findIndex(({ value }) => value === texts[index]) : 0
  }
  const [focus, setFocus] = useState<Focus>(() => ({ key: keys[0]!, option: optionAt(0) }))
  const at = Math.max(0, keys.indexOf(focus.key))
  const options = optionsOf(fields[at]?.input)
  const isChosen = options[focus.option]?.value === texts[at]
  return {
    at,
    option:
      fields[at]?.input?.kind === 'choice' && !isChosen
        ? optionAt(at)
        : Math.min(focus.option, Math.max(0, options.length - 1)),
    cancelAt,
    actAt,
    moved: focus.moved ?? false,
    question: focus.question,
    /** Moves to a field and its selected option, or to a button. */
    go: (index: number): void => setFocus({ key: keys[index]!, option: optionAt(index) }),
    /** Moves to the field with that id, which may only appear with the next render. */
    goToId: (id: string): void => setFocus({ key: id, option: 0 }),
    /** Moves to another option of the field. */
    toOption: (option: number): void => setFocus({ key: keys[at]!, option, moved: true }),
    /** The current option was selected or deselected. */
    took: (): void => setFocus({ key: keys[at]!, option: focus.option }),
    /** Says which option is highlighted but not selected, until another key is pressed. */
    ask: (question: string): void => setFocus({ ...focus, key: keys[at]!, question }),
  }
}

type PlaceInForm = ReturnType<typeof usePlaceInForm>

/** The form's key handlers. If the highlighted option would not be sent, the form asks first. */
function useFormKeys(props: FieldsFormProps, place: PlaceInForm, leave: () => void) {
  const { fields, texts } = props
  const { at, option, actAt, cancelAt, go } = place
  const keyName = useKeyName()
  const input = fields[at]?.input
  const offered = optionsOf(input)
  const act = async (): Promise<void> => {
    const wrong = await props.onAct()
    if (typeof wrong === 'string') place.goToId(wrong)
    else if (wrong !== undefined) go(wrong)
  }
  /** In a choice, the highlighted option is the selected one. */
  const toOption = (wanted: number): void => {
    const to = Math.max(0, Math.min(wanted, offered.length - 1))
    place.toOption(to)
    const here = offered[to]
    if (input?.kind === 'choice' && here) props.onText(at, here.value)
  }
  /** Whether the key `again` would ignore a highlighted option; then the form says so first. */
  const isAsked = (again: 'choose' | 'send'): boolean => {
    const here = offered[option]
    if (!here || !input || place.question !== undefined) return false
    const name = truncate(clean(here.label), MOST_OF_LABEL)
    const repeat = keyName(formKeys, again)
    if (input.kind === 'menu' && again === 'send')
      place.ask(`“${name}” is highlighted: ${keyName(formKeys, 'choose')} does that; ${repeat} again: ${props.act}.`)
    else if (input.kind === 'choices' && place.moved && !valuesOf(texts[at] ?? '').includes(here.value))
      place.ask(
        `“${name}” is highlighted, not chosen: ${keyName(choiceKeys, 'pick')} chooses it; ${repeat} again ` +
          'leaves it out.',
      )
    else return false
    return true
  }
  const choose = (): void | Promise<void> => {
    if (at === actAt) return act()
    if (at === cancelAt) return props.onCancel()
    const here = offered[option]
    if (input?.kind === 'menu') return here && input.onPick(here.value)
    if (input?.kind === 'lead') return go(firstWrong(fields) ?? actAt)
    if (isAsked('choose')) return undefined
    // After the last field comes the button that acts, not Cancel: the fields were filled in for it.
    return go(at + 1 === cancelAt ? actAt : at + 1)
  }
  const send = (): void | Promise<void> => {
    if (at === cancelAt) return go(actAt)
    return isAsked('send') ? undefined : act()
  }
  const beyond = (by: 1 | -1): void => go((at + by + actAt + 1) % (actAt + 1))
  /**
   * Moves to the option beside, or past the last or first one to the field beside. A choice between several options is
   * not left this way, and passing an option does not select it.
   */
  const beside = (by: 1 | -1): KeyHandler | Unavailable => {
    const to = option + by
    if (to >= 0 && to < offered.length) return () => toOption(to)
    if (input?.kind === 'choice' && option !== -1 && offered.length > 1)
      return unavailable(
        by === 1
          ? `This is the last option; ${keyName(formKeys, 'next')} goes to the next field.`
          : `This is the first option; ${keyName(formKeys, 'previous')} goes to the field before.`,
      )
    return () => beyond(by)
  }
  useBindings(formKeys, {
    next: () => beyond(1),
    previous: () => beyond(-1),
    down: beside(1),
    up: beside(-1),
    choose,
    send,
    cancel: leave,
  })
  return { act, toOption, beyond }
}

/** Tells whether a field differs from the text that it had before the person changed it. */
function useChanged({ fields, texts, onText }: FieldsFormProps) {
  const [before, setBefore] = useState<ReadonlyMap<string, string>>(new Map())
  return {
    isChanged: fields.some((field, index) => {
      const text = before.get(keyOf(field, index))
      return text !== undefined && text !== texts[index]
    }),
    isUntouched: (index: number): boolean => !before.has(keyOf(fields[index], index)),
    onText(index: number, text: string): void {
      const key = keyOf(fields[index], index)
      if (!before.has(key)) setBefore(new Map(before).set(key, texts[index] ?? ''))
      onText(index, text)
    },
  }
}

function firstWrong(fields: readonly FormFieldLook[]): number | undefined {
  const wrong = fields.findIndex(({ error }) => error !== undefined)
  return wrong === -1 ? undefined : wrong
}

/** Handles the keys of a field that is not typed; renders nothing. */
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
  const to = (wanted: number) => () => props.onOption(wanted)
  const times = (change: (text: string, value: string) => string): KeyHandler | Unavailable => {
    if (input.kind !== 'choices') return unavailable('Only one can be chosen here.')
    if (!input.repeats || !here) return unavailable('Each can be chosen once here.')
    return () => props.onText(change(text, here.value))
  }
  useBindings(choiceKeys, {
    more: times(onceMore),
    less: times(onceLess),
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
            const chosen = new Set(valuesOf(text))
            props.onText(every.every(value => chosen.has(value)) ? '' : textOfValues(every))
          }
        : unavailable('Only one can be chosen here.'),
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

/** Shows a row that says how many fields do not fit; blank if all do. */
function Position(props: { fields: number; first: number; shown: number }) {
  const theme = useTheme()
  const hidden = props.fields - props.shown
  const text = hidden > 0 ? `fields ${props.first + 1} to ${props.first + props.shown} of ${props.fields}` : ' '
  return <Text wrap="truncate">{theme.paint('muted', text)}</Text>
}

/** Shows the buttons below each other, `[▌ Launch 15 trials ]`; none is selected while a field has the focus. */
function Answers(props: { texts: readonly string[]; chosen: number; width: number }) {
  const { paint, symbols } = useTheme()
  const texts = props.texts.map(text => truncate(clean(text), props.width - BUTTON))
  const columns = Math.max(...texts.map(widthOf))
  return texts.map((text, index) => {
    const isChosen = index === props.chosen
    const button = `[${isChosen ? symbols.pointer : ' '} ${fit(text, columns)} ]`
    return (
      <Text key={index} wrap="truncate">
        {isChosen ? paint('selected', button) : button}
      </Text>
    )
  })
}

/** Returns suggestions for a field, by its position and text; a failure suggests nothing. */
export type Suggest = (index: number, text: string, signal: AbortSignal) => Promise<readonly string[]>

/** Milliseconds without typing before suggestions are requested. */
const PAUSE_MS = 250
const NONE: readonly string[] = []

/** Suggestions for the current field, requested when the person pauses; accepting one requests no others. */
export function useSuggestions(suggest: Suggest | undefined, at: number, text: string | undefined): readonly string[] {
  const [shown, setShown] = useState<{ at: number; values: readonly string[] }>({ at: -1, values: NONE })
  const ask = useRef(suggest)
  ask.current = suggest
  const here = shown.at === at ? shown.values : NONE
  const isAsked = suggest !== undefined && text !== undefined && !here.includes(text)
  useEffect(() => {
    if (!isAsked || text === undefined) return undefined
    const asking = new AbortController()
    const show = (values: readonly string[]): void => {
      if (!asking.signal.aborted) setShown({ at, values })
    }
    const timer = setTimeout(() => {
      ask.current?.(at, text, asking.signal).then(show, () => show(NONE))
    }, PAUSE_MS)
    return () => {
      clearTimeout(timer)
      asking.abort()
    }
  }, [isAsked, at, text])
  const isTypedAlready = here.length === 1 && here[0] === text
  return isTypedAlready ? NONE : here
}
