import type { AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { useWrites, type ActOf } from '../../hooks/use-write.tsx'
import { textOfValues, valuesOf, type FieldOption } from '../form/field-input.ts'
import { useFormDialog, type FormFieldSpec, type FormSpec, type FormValues } from '../form/form-dialog.tsx'

/** Creates a record that a field needs, then returns to the form. */
export type Making = { field: string; label: string; make: () => Promise<FieldOption | undefined> }

/** The form when it is opened again: its values, and why the last attempt was refused. */
export type FormAgain = { values: FormValues; problem: NonNullable<FormSpec['about']> }

type Acted<T, E extends AnyEndpoint, Unsent> = ActOf<T, E> | string | { unsent: Unsent } | { again: FormAgain }

type AskSpec<T, E extends AnyEndpoint, Unsent> = {
  /** Returns the form with its initial values; values that were filled in earlier replace them. */
  form: () => FormSpec
  making?: readonly Making[]
  /**
   * Returns what to send; a text if the form itself says why not, `unsent` if there is nothing to send, `again` if the
   * form is to be shown again first.
   */
  act: (values: FormValues) => Acted<T, E, Unsent> | Promise<Acted<T, E, Unsent>>
  /** Returns the form to show after a refusal; by default the same with the message of the error. */
  refused?: (error: unknown, values: FormValues) => FormAgain | Promise<FormAgain>
}

/**
 * Shows a form and sends its result. If it is refused, the form is shown again with the reason, so that nothing typed
 * is lost. Resolves to the result, `undefined` if the person gives up.
 */
export function useAskUntilDone() {
  const ask = useAskMaking()
  const write = useWrites()
  return async <E extends AnyEndpoint, T = OutputOf<E>, Unsent = T>(
    spec: AskSpec<T, E, Unsent>,
  ): Promise<T | Unsent | undefined> => {
    const { refused = askedAgain } = spec
    const making = (spec.making ?? []).map(each => ({ ...each, made: [] }))
    for (let again: FormAgain | undefined; ;) {
      const form = spec.form()
      const values = await ask(
        { ...form, about: [...(again?.problem ?? []), ...(form.about ?? [])] },
        again?.values,
        making,
      )
      if (!values) return undefined
      again = { values, problem: [] }
      const act = await spec.act(values)
      if (typeof act === 'string') continue
      if ('again' in act) {
        again = act.again
        continue
      }
      if ('unsent' in act) return act.unsent
      let error: unknown
      const came = await write<E, T>({ ...act, failed: reason => void (error = reason) })
      if (came !== undefined) return came
      if (error !== undefined) again = await refused(error, values)
    }
  }
}

/** Returns the same form with the reason for the refusal: only the service knows what is missing and how to get it. */
export function askedAgain(error: unknown, values: FormValues): FormAgain {
  const isMissing = error instanceof ApiError && error.code === 'FEATURE_NOT_SUPPORTED'
  return { values, problem: [{ text: isMissing ? error.message : failureSentence(error), tone: 'error' }] }
}

/** The value of the option that creates another record. */
const MAKE = '\0make'

/** Asks with a form whose choices can create missing records: it opens again with the new record selected. */
function useAskMaking() {
  const ask = useFormDialog()
  return async (
    form: FormSpec,
    values: FormValues | undefined,
    making: readonly (Making & { made: FieldOption[] })[],
  ): Promise<FormValues | undefined> => {
    for (let filled = values; ;) {
      const fields = form.fields.map((field): FormFieldSpec => {
        const own = making.find(each => each.field === field.id)
        const { input, id, initial = '' } = field
        const text = { initial: filled?.[id] ?? initial }
        if (!own || (input?.kind !== 'choice' && input?.kind !== 'choices')) return { ...field, ...text }
        const options = [...input.options, ...own.made, { value: MAKE, label: own.label }]
        const isOnly = input.kind === 'choice' && text.initial === '' && options.length === 1
        return { ...field, ...text, ...(isOnly && { initial: MAKE }), input: { ...input, options } }
      })
      filled = await ask({ ...form, fields, isFilled: filled !== undefined })
      if (!filled) return undefined
      const wanted = making.find(({ field }) => valuesOf(filled?.[field] ?? '').includes(MAKE))
      if (!wanted) return filled
      const option = await wanted.make()
      const before = form.fields.find(({ id }) => id === wanted.field)?.initial ?? ''
      if (option) wanted.made.push(option)
      const chosen = valuesOf(filled[wanted.field] ?? '').flatMap(each =>
        each === MAKE ? (option?.value ?? []) : each,
      )
      filled = { ...filled, [wanted.field]: chosen.length > 0 ? textOfValues(chosen) : before }
    }
  }
}
