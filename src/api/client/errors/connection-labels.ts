import type { ConnectionFault } from './api-error.ts'

/** What stands between this program and a service, as the beginning of a sentence. */
export function connectionLabel(fault: ConnectionFault, host: string): string {
  return {
    silent: `${host} does not answer`,
    'key-refused': `${host} refuses the key`,
    redirected: `${host} redirects to another address`,
    'web-page': `A web page answers in place of ${host}`,
    unavailable: `${host} cannot answer now`,
  }[fault]
}
