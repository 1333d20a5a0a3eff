import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { Toasts } from '../../components/toasts.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'

/** Turns what a key's handler threw into one sentence: why it can't be done, or what went wrong. */
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
