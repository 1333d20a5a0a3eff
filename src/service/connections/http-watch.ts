import type { BodyWatch } from './http-request.ts'
import { createLineReader } from './line-reader.ts'
import { preciseNow, type Exchange, type Tap } from './traffic.ts'

/** What is reported of one exchange while it goes on. */
type ExchangeWatch = BodyWatch & { answered(response: Response): void; failed(problem: string): void }

/**
 * Records one request over HTTP and the messages of its answer: of an event stream each event, of anything else the
 * whole body.
 * @param limit longest line of an event stream in bytes
 */
export function watchExchange(tap: Tap, limit: number, url: string | URL, init?: RequestInit): ExchangeWatch {
  const { method = 'GET', body, headers: requestHeaders } = init ?? {}
  const exchange: Exchange = { method, url: String(url), requestHeaders, at: preciseNow() }
  if (typeof body === 'string') tap.frame('sent', body, exchange)
  const received = (message: string | Buffer) => tap.frame('received', message, exchange)
  let bodyOf: BodyWatch | undefined
  return {
    answered(response) {
      const { status, headers } = response
      Object.assign(exchange, { status, responseHeaders: headers, durationMs: preciseNow() - exchange.at })
      const isStream = headers.get('content-type')?.startsWith('text/event-stream') ?? false
      bodyOf = isStream ? watchEvents(limit, received) : watchBody(status >= 400, received)
    },
    failed(problem) {
      exchange.problem = problem
      received('')
    },
    chunk: bytes => bodyOf?.chunk(bytes),
    end: () => bodyOf?.end(),
  }
}

function watchEvents(limit: number, received: (message: string) => void): BodyWatch {
  let data: string[] = []
  const end = (): void => {
    if (data.length > 0) received(data.join('\n'))
    data = []
  }
  const reader = createLineReader(limit, line => {
    if (line.startsWith('data:')) data.push(line.slice('data:'.length).trim())
    else if (line.trim() === '') end()
  })
  return { chunk: bytes => void reader.push(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)), end }
}

/** @param always whether an empty body counts too, as that of a refusal does */
function watchBody(always: boolean, received: (message: Buffer) => void): BodyWatch {
  const chunks: Uint8Array[] = []
  let hasEnded = false
  return {
    chunk: bytes => void chunks.push(bytes),
    end() {
      if (!hasEnded && (always || chunks.length > 0)) received(Buffer.concat(chunks))
      hasEnded = true
      chunks.length = 0
    },
  }
}
