import type { Fetch } from '../src/api/client/transport/fetch.ts'

/** A service for a client, written with Node's own classes, which are convenient in tests. */
export function overWeb(answer: (request: Request) => Response | Promise<Response>): Fetch {
  return async ({ method, url, headers, body, signal }) => {
    const text = typeof body === 'string' ? { body } : {}
    return await answer(new Request(url, { method, headers: [...headers], signal, ...text }))
  }
}
