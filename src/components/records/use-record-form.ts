import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrites, type ActOf } from '../../hooks/use-write.tsx'
import { textOfValues, valuesOf, type FieldOption } from '../form/field-input.ts'
import { useFormDialog, type FormFieldSpec, type FormSpec, type FormValues } from '../form/form-dialog.tsx'
import { changedFields, threeWay } from '../form/three-way.ts'
import { useOpening } from '../opening.tsx'
import { useToasts } from '../toasts.tsx'

/** The value of the option that makes another record on the spot. */
const MAKE = '\0make'

/** Makes a record that a field wants, and comes back to the form. */
export type Making = { field: string; label: string; make: () => Promise<FieldOption | undefined> }

type RecordForm<Row, T, E extends AnyEndpoint> = {
  /** The record to change, absent to make one. */
  record?: Row
  /** The form over a record; the initial texts of its fields are what it holds. */
  form: (record: Row | undefined) => FormSpec
  /** Fields whose record can be made on the spot. */
  making?: readonly Making[]
  /** What is sent; `changed` holds the fields that differ from the record. */
  act: (changed: FormValues, record: Row | undefined) => ActOf<T, E>
  /** The record as it is now: read after a conflict, so that nobody's change is overwritten unseen. */
  reread?: () => Promise<Row>
}

/**
 * Asks for a record by a form and saves it. What is refused is asked for again with the reason, and a record that
 * somebody else changed meanwhile with both changes side by side; nothing that was typed is lost. Resolves to what came
 * of it, `undefined` where the person gives up.
 */
export function useRecordForm() {
  const ask = useAskMaking()
  const write = useWrites()
  const toasts = useToasts()
  const opening = useOpening(useRunTask())
  return async <Row, E extends AnyEndpoint, T = OutputOf<E>>(
    spec: RecordForm<Row, T, E>,
  ): Promise<T | Row | undefined> => {
    let { record } = spec
    let values: FormValues | undefined
    let problem: FormSpec['about'] = []
    const making = (spec.making ?? []).map(each => ({ ...each, made: [] }))
    for (;;) {
      const form = spec.form(record)
      const filled = await ask({ ...form, about: [...problem, ...form.about] }, values, making)
      if (!filled) return undefined
      const changed = changedFields(form.fields, filled).map(({ id }) => [id, filled[id] ?? ''])
      if (record && changed.length === 0) {
        toasts.show('ok', 'Nothing was changed.')
        return record
      }
      let refused: unknown
      const act = spec.act(record ? Object.fromEntries(changed) : filled, record)
      const came = await write<E, T>({ ...act, failed: error => void (refused = error) })
      if (came !== undefined) return came
      values = filled
      problem = [{ text: failureSentence(refused), tone: 'error' }]
      const { reread } = spec
      if (!record || !reread || !isConflict(refused)) continue
      const now = await opening({ start: 'Reading what it is now…', work: reread })
      if (!now) continue
      const merged = threeWay(form.fields, filled, spec.form(now).fields)
      if (merged.lines.length > 1) ({ values, lines: problem } = merged)
      record = now
    }
  }
}

function isConflict(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'CONFLICT'
}

/** A form whose choices can make what they lack: it opens again with the new one chosen. */
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
        const { input, id, initial } = field
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
