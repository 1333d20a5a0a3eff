import { useTextOverlay } from './text-overlay.tsx'

/** Runs an action. If it throws an error with a sentence, shows the sentence in full and returns undefined. */
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
