/**
 * Lets keys and timers have their turn: a service in the same process answers without a pause in which they would be
 * heard.
 */
export function yieldToInput(): Promise<void> {
  return new Promise(resolve => {
    setImmediate(resolve)
  })
}
