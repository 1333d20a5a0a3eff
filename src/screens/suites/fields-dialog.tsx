import { useState } from 'react'
import { clean } from '../../tui/theme/text.ts'
import type { FieldInput, FieldOption } from '../../components/form/field-input.ts'
import { FieldsForm, type FormText } from '../../components/form/fields-form.tsx'
import { useOverlays } from '../../components/overlays.tsx'

/** One line to fill in. */
export type DialogField<Name extends string> = {
  name: Name
  label: string
  /** What it takes, in a few words, where the label does not say it. */
  kind?: string
  required?: boolean
  note?: string
  initial?: string
  /** What can be chosen, where it is not typed. */
  input?: FieldInput
  /** What is wrong with a text, or nothing. */
  check?: (text: string) => string | undefined
}

export type FieldsQuestion<Name extends string> = {
  title: string
  about?: readonly FormText[]
  fields: readonly DialogField<Name>[]
  effect: readonly FormText[]
  act: string
}

const WIDTH = 84
/** Rows beside one per field: border, what the active field shows, the two answers. */
const ROWS_AROUND = 12

/** Asks for a few texts; resolves to them, without blanks around, or to undefined when the person cancels. */
export function useFieldsDialog(): <Name extends string>(
  question: FieldsQuestion<Name>,
) => Promise<Record<Name, string> | undefined> {
  const overlays = useOverlays()
  return question =>
    new Promise(resolve => {
      const rows = question.fields.length + (question.about?.length ?? 0) + question.effect.length
      const close = overlays.open({
        title: clean(question.title),
        size: available => ({
          width: Math.min(WIDTH, available.width),
          height: Math.min(available.height, ROWS_AROUND + rows),
        }),
        content: (
          <FieldsDialog
            question={question}
            onEnd={texts => {
              close()
              resolve(texts)
            }}
          />
        ),
      })
    })
}

function FieldsDialog(props: {
  question: FieldsQuestion<string>
  onEnd: (texts: Record<string, string> | undefined) => void
}) {
  const { fields, about = [], effect, act } = props.question
  const [texts, setTexts] = useState(() => fields.map(initialOf))
  const [errors, setErrors] = useState<readonly (string | undefined)[]>([])
  const check = (): Promise<number | undefined> => {
    const found = fields.map((field, index) => {
      const text = texts[index]?.trim() ?? ''
      if (text === '') return field.required ? 'is needed' : undefined
      return field.check?.(text)
    })
    const wrong = found.findIndex(error => error !== undefined)
    setErrors(found)
    if (wrong === -1)
      props.onEnd(Object.fromEntries(fields.map(({ name }, index) => [name, texts[index]?.trim() ?? ''])))
    return Promise.resolve(wrong === -1 ? undefined : wrong)
  }
  return (
    <FieldsForm
      fields={fields.map((field, index) => ({
        label: field.label,
        kind: field.kind ?? '',
        required: field.required ?? false,
        note: field.note,
        error: errors[index],
        ...(field.input && { input: field.input }),
      }))}
      texts={texts}
      onText={(index, text) => {
        setTexts(texts.map((old, at) => (at === index ? text : old)))
        setErrors([])
      }}
      about={about}
      effect={effect}
      act={act}
      onAct={check}
      onCancel={() => props.onEnd(undefined)}
    />
  )
}

/** What must be chosen starts on the first option. */
function initialOf({ initial, input, required }: DialogField<string>): string {
  return initial ?? (required && input?.kind === 'choice' ? (input.options[0]?.value ?? '') : '')
}

/** A field of which one of these is chosen. */
export function oneOf(choices: readonly (string | FieldOption)[]): FieldInput {
  const options = choices.map(choice => (typeof choice === 'string' ? { value: choice, label: choice } : choice))
  return { kind: 'choice', options }
}

/** A check that a text is a whole number within bounds. */
export function wholeWithin(least: number, most: number): (text: string) => string | undefined {
  return text => {
    const value = Number(text)
    return Number.isInteger(value) && value >= least && value <= most
      ? undefined
      : `is a whole number from ${least} to ${most}`
  }
}
