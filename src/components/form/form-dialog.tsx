import { useState } from 'react'
import { clean } from '../../tui/theme/text.ts'
import { FieldsForm, type FormText } from './fields-form.tsx'
import type { FormFieldLook } from './form-field.tsx'
import { numberProblem, type FieldOption } from './field-input.ts'
import { useOverlays } from '../overlays.tsx'

export type FormFieldSpec = Omit<FormFieldLook, 'error' | 'note'> & {
  id: string
  /** Empty by default. */
  initial?: string
  note?: string
  /** Returns why a value is not accepted. */
  check?: (text: string) => string | undefined
}

export type FormValues = Readonly<Record<string, string>>

export type FormSpec = {
  title: string
  about?: readonly FormText[]
  fields: readonly FormFieldSpec[]
  /** The effect of these values; the form itself sends nothing. */
  effect?: (values: FormValues) => FormSpec['about']
  act: string
  /** The initial texts were filled in by the person earlier, so leaving asks first. */
  isFilled?: boolean
  /**
   * Returns the values that a pasted text fills in, or those with which it ends the form; undefined if the paste
   * belongs to one field.
   */
  pasted?: (text: string) => { fill: FormValues } | { end: FormValues } | undefined
}

/** Returns a field that selects one of some records, by default the first. */
export function choiceField(
  id: string,
  label: string,
  options: readonly FieldOption[],
  more: Omit<Partial<FormFieldSpec>, 'input'> = {},
): FormFieldSpec {
  return { id, label, initial: options[0]?.value ?? '', ...more, input: { kind: 'choice', options } }
}

/** Returns options whose labels are their values. */
export function optionsOf(values: readonly string[]): FieldOption[] {
  return values.map(value => ({ value, label: value }))
}

/** Returns the fields with the values that the person filled in earlier, for a form that is opened again. */
export function filledAgain(
  fields: readonly FormFieldSpec[],
  values: FormValues | undefined,
): Pick<FormSpec, 'fields' | 'isFilled'> {
  if (!values) return { fields }
  return {
    fields: fields.map(field => ({ ...field, initial: values[field.id] ?? field.initial ?? '' })),
    isFilled: true,
  }
}

/** The button of a form that sends nothing itself. */
export const GO_ON = 'Go on: see what it does first'

const WIDTH = 76

/** Asks for the values that an action needs; resolves to them, or to undefined if the person gives up. */
export function useFormDialog(): (form: FormSpec) => Promise<FormValues | undefined> {
  const overlays = useOverlays()
  return form =>
    overlays.ask({
      title: clean(form.title),
      width: WIDTH,
      height: 'content',
      content: answer => <FormDialog form={form} onDone={answer} />,
    })
}

/** Returns why the value of a field is not accepted. */
function problemOf(field: FormFieldSpec, text: string): string | undefined {
  if (field.required && text.trim() === '') return 'This field is required.'
  if (field.input?.kind === 'number') {
    const problem = numberProblem(text, field.input)
    if (problem !== undefined) return problem
  }
  return field.check?.(text)
}

function FormDialog(props: { form: FormSpec; onDone: (values: FormValues | undefined) => void }) {
  const { form, onDone } = props
  const { fields } = form
  const [texts, setTexts] = useState(() => fields.map(({ initial = '' }) => initial))
  const [problems, setProblems] = useState<readonly (string | undefined)[]>([])
  const [isPasted, setPasted] = useState(false)
  const values = Object.fromEntries(fields.map(({ id }, index) => [id, texts[index] ?? '']))
  const take = (text: string): boolean => {
    const made = form.pasted?.(text)
    if (made === undefined) return false
    if ('end' in made) onDone({ ...values, ...made.end })
    else {
      setPasted(true)
      setTexts(fields.map(({ id }, index) => made.fill[id] ?? texts[index] ?? ''))
      setProblems([])
    }
    return true
  }
  const act = async (): Promise<number | undefined> => {
    const found = fields.map((field, index) => problemOf(field, texts[index] ?? ''))
    setProblems(found)
    const wrong = found.findIndex(problem => problem !== undefined)
    if (wrong !== -1) return wrong
    onDone(values)
    return undefined
  }
  return (
    <FieldsForm
      fields={fields.map(({ initial: _initial, check: _check, note, ...look }, index) => ({
        ...look,
        note,
        error: problems[index],
      }))}
      texts={texts}
      onText={(index, text) => {
        setTexts(texts.map((old, at) => (at === index ? text : old)))
        setProblems([])
      }}
      about={form.about ?? []}
      effect={form.effect?.(values) ?? []}
      act={form.act}
      onAct={act}
      onCancel={() => onDone(undefined)}
      isFilled={form.isFilled === true || isPasted}
      onPaste={take}
    />
  )
}
