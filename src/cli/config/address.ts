import { API_PREFIX } from '../../api/contract/wire.ts'

/** The service's name in its own header names (contract differences, row 35), unless a profile gives another. */
export const DEFAULT_SLUG = 'mcpjam'

/** Returns why a text is not a base address; undefined if it is one. */
export function addressProblem(text: string): string | undefined {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    return `it is not an http or https URL, such as https://host${API_PREFIX}`
  if (url.username || url.password) return 'it must not contain a user name or password'
  if (url.search || url.hash) return 'it must not contain a query or a fragment'
  return undefined
}

/** Returns a valid base address without a final slash, with the version added if missing. */
export function normalAddress(text: string): string {
  const url = new URL(text)
  const path = url.pathname.replace(/\/+$/, '')
  return `${url.origin}${path === '' ? API_PREFIX : path}`
}
