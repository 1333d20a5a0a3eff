import { isIP } from 'node:net'
import { ServiceError } from './errors.ts'

/** Only what can be nothing else; a name that resolves to loopback today may resolve elsewhere tomorrow. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Refuses requests that were sent to another name: a web page whose own name resolves to this machine would otherwise
 * be of the same origin as the service (DNS rebinding).
 * @throws ServiceError `FORBIDDEN`
 */
export function requireOwnHost({ hostname }: URL, ownHosts: readonly string[]): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const isOwn = isLoopback(host) || host.endsWith('.localhost')
  if (isOwn || ownHosts.some(own => own.toLowerCase() === host)) return
  throw new ServiceError(
    'FORBIDDEN',
    `The name "${host}" is none of this service. Use localhost, or start it with --allow-host ${host}.`,
  )
}
