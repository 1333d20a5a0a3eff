import { isConflict } from '../../api/client/errors/api-error.ts'
import type { AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import type { ActOf } from '../../hooks/use-write.tsx'
import type { FormSpec, FormValues } from '../form/form-dialog.tsx'
import { changedFields, threeWay } from '../form/three-way.ts'
import { useOpening } from '../opening.tsx'
import { useToasts } from '../toasts.tsx'
import { askedAgain, useAskUntilDone, type Making } from './use-ask-until-done.ts'

type RecordForm<Row, T, E extends AnyEndpoint> = {
  /** The record to change; absent to create one. */
  record?: Row
  /** Returns the form for a record, whose values are the initial texts of the fields. */
  form: (record: Row | undefined) => FormSpec
  /** Fields whose record can be created in the form. */
  making?: readonly Making[]
  /** Returns what to send; `changed` contains the fields that differ from the record. */
  act: (changed: FormValues, record: Row | undefined) => ActOf<T, E>
  /** Reads the current record after a conflict, so that nobody's change is overwritten unseen. */
  reread?: () => Promise<Row>
  /** The contract has no conflict check for this change, so the record is also read just before sending. */
  isUnguarded?: true
}

/**
 * Asks for a record with a form and saves it. If it is refused, the form is shown again with the reason; if another
 * person changed the record meanwhile, with both changes side by side. Nothing typed is lost. Resolves to the result,
 * `undefined` if the person gives up.
 */
export function useRecordForm() {
  const askUntilDone = useAskUntilDone()
  const toasts = useToasts()
  const opening = useOpening(useRunTask())
  return async <Row, E extends AnyEndpoint, T = OutputOf<E>>(
    spec: RecordForm<Row, T, E>,
  ): Promise<T | Row | undefined> => {
    const { form, reread } = spec
    let { record } = spec
    /** Takes over the current record, and returns the other person's changes; undefined if it cannot be read. */
    const catchUp = async (values: FormValues): Promise<ReturnType<typeof threeWay> | undefined> => {
      const now = reread && (await opening({ start: 'Reading the current version…', work: reread }))
      if (!now) return undefined
      const merged = threeWay(form(record).fields, values, form(now).fields)
      record = now
      return merged
    }
    return await askUntilDone<E, T, Row>({
      form: () => form(record),
      ...(spec.making && { making: spec.making }),
      async act(filled) {
        if (record && spec.isUnguarded && isChanged(form(record), filled)) {
          const merged = await catchUp(filled)
          if (!merged) return { again: { values: filled, problem: [] } }
          if (merged.lines.length > 1) return { again: { values: merged.values, problem: merged.lines } }
        }
        const changed = changedFields(form(record).fields, filled).map(({ id }) => [id, filled[id] ?? ''])
        if (!record || changed.length > 0) return spec.act(record ? Object.fromEntries(changed) : filled, record)
        toasts.show('ok', 'Nothing was changed.')
        return { unsent: record }
      },
      async refused(error, values) {
        const again = askedAgain(error, values)
        if (!record || !reread || !isConflict(error)) return again
        const merged = await catchUp(values)
        return merged && merged.lines.length > 1 ? { values: merged.values, problem: merged.lines } : again
      },
    })
  }
}

function isChanged({ fields }: FormSpec, values: FormValues): boolean {
  return changedFields(fields, values).length > 0
}
