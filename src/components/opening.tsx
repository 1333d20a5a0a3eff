import { useCallback } from 'react'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { openingKeys } from './component-keys.ts'
import { useOverlays } from './overlays.tsx'
import { useToasts } from './toasts.tsx'

/** Shows work while it runs and reports what went wrong; resolves to `undefined` then. */
type RunTask = <T>(run: { start: string; work: () => Promise<T> }) => Promise<T | undefined>

type Opening<T> = {
  /** Shows while it is read: `Reading nightly…`. */
  start: string
  /** Reads what the dialog is about; the signal is aborted when the person gives it up. */
  work: (signal: AbortSignal) => Promise<T>
  /** Said when the person gives it up. */
  stopped?: string
}

/**
 * Reads what a dialog needs before it can open, and takes the keys meanwhile: none of them reaches what is below.
 * Resolves to `undefined` where reading failed, which was reported, or where the person gave it up.
 */
export function useOpening(runTask: RunTask): <T>(opening: Opening<T>) => Promise<T | undefined> {
  const overlays = useOverlays()
  const toasts = useToasts()
  return useCallback(
    async <T,>({ start, work, stopped }: Opening<T>) => {
      const controller = new AbortController()
      const givenUp = Promise.withResolvers<undefined>()
      const close = overlays.open({
        title: '',
        bare: true,
        width: 0,
        content: () => (
          <TakesKeys
            onCancel={() => {
              if (controller.signal.aborted) return
              givenUp.resolve(undefined)
              controller.abort()
              if (stopped !== undefined) toasts.show('warn', stopped)
            }}
          />
        ),
      })
      try {
        return await runTask({ start, work: () => Promise.race([work(controller.signal), givenUp.promise]) })
      } finally {
        // After whoever waited has opened the dialog, so that no key falls between the two.
        setImmediate(close)
      }
    },
    [overlays, runTask, toasts],
  )
}

function TakesKeys(props: { onCancel: () => void }) {
  useBindings(openingKeys, { cancel: props.onCancel })
  return null
}
