import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { Toasts } from '../../components/toasts.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'

/** Turns an error of a key's handler into one sentence: why the action is unavailable, or what went wrong. */
export function createReport(toasts: Toasts, log: (error: unknown) => void): (error: unknown) => void {
  return error => {
    if (error instanceof UnavailableAction) {
      toasts.show('warn', error.message)
      return
    }
    log(error)
    toasts.show('error', failureSentence(error))
  }
}
