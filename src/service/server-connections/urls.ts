/** Whether two addresses are one, however they are written. */
export function sameUrl(one: string | undefined, other: string): boolean {
  const href = URL.parse(one ?? '')?.href
  return href !== undefined && href === URL.parse(other)?.href
}

/** An address to show: the values of its query may be credentials. */
export function redactedUrl(text: string): string {
  const url = URL.parse(text)
  if (!url) return ''
  for (const name of new Set(url.searchParams.keys())) url.searchParams.set(name, 'redacted')
  return url.href
}
