import { isIP } from 'node:net'
import { ServiceError } from './errors.ts'

/** Whether two addresses are the same, even if they are written differently. */
export function sameUrl(one: string | undefined, other: string): boolean {
  const href = URL.parse(one ?? '')?.href
  return href !== undefined && href === URL.parse(other)?.href
}

/** Whether an address has parts that may be credentials: a query, a user name or a password. */
export function mayHoldSecrets(text: string): boolean {
  return /[?@]/.test(text)
}

/**
 * Returns an address without its query values, user name and password, which may be credentials; empty if it cannot be
 * parsed.
 */
export function redactedUrl(text: string): string {
  if (!mayHoldSecrets(text)) return text
  const url = URL.parse(text)
  if (!url) return ''
  if (url.username) url.username = 'redacted'
  if (url.password) url.password = 'redacted'
  const named = [...url.searchParams].every(([, value]) => value !== '')
  if (!named) url.search = '?redacted'
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted')
  return url.href
}

/** Returns the parts that {@link redactedUrl} removes from an address, each as written and decoded. */
export function secretsOfUrl(text: string): string[] {
  const url = mayHoldSecrets(text) ? URL.parse(text) : null
  if (!url) return []
  const { username, password, search, searchParams } = url
  // A query name without a value may itself be the secret.
  const written = search
    .slice(1)
    .split('&')
    .map(pair => pair.slice(pair.indexOf('=') + 1))
  return [username, password, ...written, ...searchParams.values()]
}

/** Whether a host is certainly loopback. A name is not, because it may resolve to another address later. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Refuses host names that are not allowed. A web page whose host name resolves to this machine would have the same
 * origin (DNS rebinding).
 * @throws ServiceError `FORBIDDEN`
 */
export function requireAllowedHost({ hostname }: URL, allowedHosts: readonly string[]): void {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '')
  const isOwn = isLoopback(host) || host.endsWith('.localhost')
  if (isOwn || allowedHosts.some(own => own.toLowerCase() === host)) return
  throw new ServiceError(
    'FORBIDDEN',
    `This service does not serve the host name "${host}". Use localhost, or start it with --allow-host ${host}.`,
  )
}

/** The default port of `mcpdeck serve`. */
export const DEFAULT_PORT = 4747

/** Returns the origin of share links. A process without a port of its own uses the default port. */
export const visitOriginAt = (port: number): string => `http://127.0.0.1:${port}`
