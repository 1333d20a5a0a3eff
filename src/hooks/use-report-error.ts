import { useCallback } from 'react'
import { describeError } from '../api/error-text.ts'
import { useNotify } from './notify.tsx'

/** Waits for something the person asked for; a failure becomes a sentence in the footer and `undefined`. */
export function useReportError(): <T>(work: Promise<T>) => Promise<T | undefined> {
  const notify = useNotify()
  return useCallback(
    async work => {
      try {
        return await work
      } catch (error) {
        const problem = describeError(error)
        notify('error', `${problem.title}: ${problem.sentence} ${problem.next}`)
        return undefined
      }
    },
    [notify],
  )
}
