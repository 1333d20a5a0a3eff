import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A secret that is shown once. What is stored of it is enough to find and verify it. */
export type Minted = { secret: string; lookup: string; hash: Uint8Array }

/** Kinds of secrets: of a scenario's link for anyone who may enter, or of one visitor's own session. */
export type SecretKind = 'link' | 'session'

/** The prefix distinguishes a session's token from an API key, which is sent in the same header. */
const PREFIXES: Record<SecretKind, string> = { link: '', session: 'vst_' }
const LOOKUP_BYTES = 6
const SECRET_BYTES = 32

export function mintSecret(kind: SecretKind): Minted {
  const lookup = randomBytes(LOOKUP_BYTES).toString('hex')
  const secret = `${PREFIXES[kind]}${lookup}${randomBytes(SECRET_BYTES).toString('base64url')}`
  return { secret, lookup, hash: hashOf(secret) }
}

/** Returns the public part; undefined if the text has not the format of such a secret. */
export function lookupOf(kind: SecretKind, secret: string): string | undefined {
  return new RegExp(`^${PREFIXES[kind]}([0-9a-f]{12})[\\w-]{43}$`).exec(secret)?.[1]
}

/** Whether the secret has this hash, compared in constant time. */
export function fits(hash: Uint8Array, secret: string): boolean {
  return timingSafeEqual(hash, hashOf(secret))
}

/** Compares two secrets in constant time. */
export function sameSecret(a: string, b: string): boolean {
  return timingSafeEqual(hashOf(a), hashOf(b))
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
