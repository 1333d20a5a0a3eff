const NEWLINE = 10
/** A buffer larger than this is given back after its line, so that one big answer does not pin memory. */
const KEEP_BYTES = 1024 * 1024

export type LineReader = {
  /** Takes the next bytes; false when a line is longer than the limit, after which nothing more is read. */
  push(chunk: Buffer): boolean
}

/**
 * Splits a byte stream into lines with a hard limit on what it holds.
 * @param limit longest line in bytes
 */
export function createLineReader(limit: number, onLine: (line: string) => void): LineReader {
  let held = Buffer.alloc(0)
  let used = 0
  let overflowed = false

  const hold = (bytes: Buffer) => {
    if (used + bytes.length > held.length) {
      // Doubling keeps a line that arrives byte by byte linear in its length.
      const grown = Buffer.allocUnsafe(Math.max(64 * 1024, held.length * 2, used + bytes.length))
      held.copy(grown, 0, 0, used)
      held = grown
    }
    bytes.copy(held, used)
    used += bytes.length
  }

  const takeLine = (tail: Buffer): string => {
    if (used === 0) return tail.toString('utf8')
    hold(tail)
    const line = held.toString('utf8', 0, used)
    used = 0
    if (held.length > KEEP_BYTES) held = Buffer.alloc(0)
    return line
  }

  const overflow = () => {
    overflowed = true
    held = Buffer.alloc(0)
    used = 0
    return false
  }

  return {
    push(chunk) {
      if (overflowed) return false
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        if (used + end - start > limit) return overflow()
        onLine(takeLine(chunk.subarray(start, end)))
        start = end + 1
      }
      if (used + chunk.length - start > limit) return overflow()
      hold(chunk.subarray(start))
      return true
    },
  }
}
