/** One body as it arrived; times in milliseconds. */
export type ArrivedBody = {
  bytes: number
  /** From its headers to its end: the line took at least this. */
  bodyMs: number
  /** All that it took beyond the quickest headers so far: the line took at most this. */
  wholeMs: number
}

/** What the last bodies say of the line, older ones less; `slow` are its bytes a second while it is slow. */
export type LineSpeed = ArrivedBody & { slow: number | undefined }

export const UNKNOWN_SPEED: LineSpeed = { bytes: 0, bodyMs: 0, wholeMs: 0, slow: undefined }

/** Bytes a second below which a line is slow, and above which it no longer is. */
const SLOW = 8 * 1024
const QUICK = 12 * 1024
/** What is smaller arrives in a piece or two, and says nothing of the line. */
const LEAST_BYTES = 2 * 1024
/** Bodies must have arrived for so long before a line is called slow, in milliseconds. */
const LEAST_MS = 2_000
/** How much of what was known counts beside one more body. */
const KEPT = 0.7

/** What is known after one more body: a line is slow once it surely is, and quick again once it surely is. */
export function nextSpeed(known: LineSpeed, body: ArrivedBody): LineSpeed {
  if (body.bytes < LEAST_BYTES) return known
  const bytes = KEPT * known.bytes + body.bytes
  const bodyMs = KEPT * known.bodyMs + body.bodyMs
  const wholeMs = KEPT * known.wholeMs + Math.max(body.bodyMs, body.wholeMs)
  const most = (bytes / bodyMs) * 1000
  const least = (bytes / wholeMs) * 1000
  const isSlow = known.slow === undefined ? bodyMs >= LEAST_MS && most < SLOW : least <= QUICK
  return { bytes, bodyMs, wholeMs, slow: isSlow ? Math.min(most, QUICK) : undefined }
}

/** Hears one answer arrive. */
export type Arrival = {
  /** Its headers (no bytes), or a piece of its body. */
  heard: (bytes: number) => void
  ended: () => void
}

/** Measures the line by all bodies together, as they share it. Times are the clock's milliseconds. */
export function createLineMeter(now: () => number): { begin: () => Arrival; slow: () => number | undefined } {
  let speed = UNKNOWN_SPEED
  let quickestHeaders = Infinity
  let arriving = 0
  let since = 0
  let bytes = 0
  return {
    slow: () => speed.slow,
    begin() {
      const sentAt = now()
      let hasBegun = false
      return {
        heard(piece) {
          if (!hasBegun) quickestHeaders = Math.min(quickestHeaders, now() - sentAt)
          if (!hasBegun && arriving === 0) [since, bytes] = [now(), 0]
          if (!hasBegun) arriving += 1
          hasBegun = true
          bytes += piece
        },
        ended() {
          if (!hasBegun) return
          arriving -= 1
          const wholeMs = now() - sentAt - quickestHeaders
          speed = nextSpeed(speed, { bytes, bodyMs: now() - since, wholeMs })
          ;[since, bytes] = [now(), 0]
        },
      }
    },
  }
}
