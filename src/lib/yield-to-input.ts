/**
 * Lets pending keys and timers run. A service in the same process never pauses by itself, so they would have to wait.
 */
export function yieldToInput(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}
