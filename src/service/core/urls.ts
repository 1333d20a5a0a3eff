/** Whether two addresses are one, however they are written. */
export function sameUrl(one: string | undefined, other: string): boolean {
  const href = URL.parse(one ?? '')?.href
  return href !== undefined && href === URL.parse(other)?.href
}

/** Whether an address carries what may be credentials: a query, a user name or a password. */
export function mayHoldSecrets(text: string): boolean {
  return /[?@]/.test(text)
}

/** An address to show: the values of its query, its user name and its password may be credentials. */
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
