/** What a server says in `WWW-Authenticate` of the tokens that it takes (RFC 6750, RFC 9728). */
export type BearerChallenge = {
  /** Where the metadata of the server may be; servers name more than one, or none. */
  metadataUrls: readonly URL[]
  scope: string | undefined
  error: string | undefined
}

/** A scheme, or one parameter: the two forms of which challenges consist (RFC 9110, 11.6.1). */
const PART = /([\w!#$%&'*+.^`|~-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*)))?\s*,?\s*/gy

/**
 * The challenges for bearer tokens among those of an answer, of which one header may hold several, taken together. What
 * is no address is left out.
 */
export function bearerChallenge({ headers }: Pick<Response, 'headers'>): BearerChallenge {
  const found: [name: string, value: string][] = []
  let scheme = ''
  for (const [, word = '', quoted, plain] of (headers.get('www-authenticate') ?? '').matchAll(PART)) {
    const value = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain
    if (value === undefined) scheme = word.toLowerCase()
    else if (scheme === 'bearer') found.push([word.toLowerCase(), value])
  }
  const all = (name: string) => found.flatMap(([each, value]) => (each === name && value !== '' ? [value] : []))
  return {
    metadataUrls: all('resource_metadata').flatMap(text => URL.parse(text) ?? []),
    scope: all('scope')[0],
    error: all('error')[0],
  }
}
