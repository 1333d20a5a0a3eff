import { useCallback } from 'react'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { openingKeys } from './component-keys.ts'
import { useOverlays } from './overlays.tsx'
import { useToasts } from './toasts.tsx'

/** Shows work while it runs and reports failures; resolves to `undefined` after a failure. */
type RunTask = <T>(run: { start: string; work: () => Promise<T> }) => Promise<T | undefined>

type Opening<T> = {
  /** Shown while reading: `Reading nightly…`. */
  start: string
  /** Reads the subject of the dialog; the signal is aborted if the person gives up. */
  work: (signal: AbortSignal) => Promise<T>
  /** Message if the person gives up. */
  stopped?: string
}

/**
 * Reads what a dialog needs before it can open, and holds the keys meanwhile, so that none reaches what is below.
 * Resolves to `undefined` if reading failed, which was reported, or if the person gave up.
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
        // Closes after the waiting code has opened the dialog, so that no key is lost in between.
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
