import { useTextOverlay } from './text-overlay.tsx'

/** Does something that may throw a sentence; then that is shown in full, and nothing is answered. */
export function useAttempt(): <T>(title: string, act: () => T) => T | undefined {
  const show = useTextOverlay()
  return (title, act) => {
    try {
      return act()
    } catch (error) {
      show(title, [error instanceof Error ? error.message : String(error)])
      return undefined
    }
  }
}
