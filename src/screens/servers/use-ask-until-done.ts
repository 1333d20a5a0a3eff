import { failureSentence } from '../../api/client/errors/error-text.ts'
import { useFormDialog, type FormAsked, type FormValues } from '../../components/form/form-dialog.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'

/** What a filled in form comes to. */
type Act<T> = {
  start: string
  work: () => Promise<T>
  done: (value: T) => string
  /** Why it was refused; the error's own sentence by default. */
  refusal?: (error: unknown) => string
}

/** The form as it was left, and why what it came to was refused. */
export type FormState = { values: FormValues | undefined; problem: string | undefined }

/**
 * Asks by a form and does what it comes to; what is refused is asked for again, so that nothing that was typed is lost. Resolves to
 * what came of it, `undefined` when the person gives up. `actOf` answers a text where the form itself says why not.
 */
export function useAskUntilDone() {
  const ask = useFormDialog()
  const runTask = useRunTask()
  return async <T>(
    formOf: (state: FormState) => FormAsked,
    actOf: (values: FormValues) => Act<T> | string,
  ): Promise<T | undefined> => {
    let problem: string | undefined
    for (let values: FormValues | undefined; ;) {
      values = await ask({ ...formOf({ values, problem }), isFilled: values !== undefined })
      problem = undefined
      if (!values) return undefined
      const act = actOf(values)
      if (typeof act === 'string') continue
      const { start, work, done, refusal = failureSentence } = act
      const came = await runTask({
        start,
        work: () =>
          work().catch((error: unknown) => {
            problem = refusal(error)
            throw error
          }),
        done,
      })
      if (came !== undefined) return came
    }
  }
}
