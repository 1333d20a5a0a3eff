/** Passes on the first value and then the latest one every `ms` milliseconds, until it ends. */
export function spaced<T>(ms: number, handOn: (value: T) => void): { note: (value: T) => void; end: () => void } {
  let waiting: { value: T } | undefined
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false
  const pass = (): void => {
    timer = undefined
    if (!waiting) return
    const { value } = waiting
    waiting = undefined
    timer = setTimeout(pass, ms).unref()
    handOn(value)
  }
  return {
    note(value) {
      if (hasEnded) return
      waiting = { value }
      if (!timer) pass()
    },
    end() {
      hasEnded = true
      clearTimeout(timer)
    },
  }
}
