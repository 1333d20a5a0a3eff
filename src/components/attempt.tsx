import { useTextOverlay } from './text-overlay.tsx'

/** Runs something that may throw an error with a sentence, which is then shown in full, and undefined is returned. */
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
