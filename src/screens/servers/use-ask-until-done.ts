import type { AnyEndpoint, OutputOf } from '../../api/contract/endpoint.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { useFormDialog, type FormSpec, type FormValues } from '../../components/form/form-dialog.tsx'
import { useWrites, type ActOf } from '../../hooks/use-write.tsx'

/** The form as it was left, and why what it came to was refused. */
export type FormState = { values: FormValues | undefined; problem: string | undefined }

/**
 * Asks by a form and does what it comes to; what is refused is asked for again, so that nothing that was typed is lost.
 * Resolves to what came of it, `undefined` when the person gives up. `actOf` answers a text where the form itself says
 * why not.
 */
export function useAskUntilDone() {
  const ask = useFormDialog()
  const write = useWrites()
  return async <E extends AnyEndpoint, T = OutputOf<E>>(
    formOf: (state: FormState) => FormSpec,
    actOf: (values: FormValues) => ActOf<T, E> | string,
    /** Why it was refused; the error's own sentence by default. */
    refusal: (error: unknown, values: FormValues) => string = failureSentence,
  ): Promise<T | undefined> => {
    let problem: string | undefined
    for (let values: FormValues | undefined; ;) {
      values = await ask({ ...formOf({ values, problem }), isFilled: values !== undefined })
      problem = undefined
      if (!values) return undefined
      const filled = values
      const act = actOf(filled)
      if (typeof act === 'string') continue
      const came = await write<E, T>({ ...act, failed: error => void (problem = refusal(error, filled)) })
      if (came !== undefined) return came
    }
  }
}
