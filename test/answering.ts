import { API_PREFIX } from '../src/api/contract/contract.ts'
import type { Fetch } from '../src/api/client/transport/fetch.ts'

/**
 * A service with records that the local workspace cannot have: answers by the end of a path, with the service's own
 * answers taking precedence.
 */
export function answering(bodies: Readonly<Record<string, unknown>>): (fetch: Fetch) => Fetch {
  return fetch => async request => {
    const { pathname } = new URL(request.url)
    const path = Object.keys(bodies).find(end => pathname.startsWith(API_PREFIX) && pathname.endsWith(end))
    if (path === undefined || request.method !== 'GET') return await fetch(request)
    return { ...(await fetch(request)), status: 200, body: JSON.stringify(bodies[path]) }
  }
}
