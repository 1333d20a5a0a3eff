import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'

/** A new secret, which is shown once, and what is stored of it: enough to find and verify it. */
export type Minted = { secret: string; lookup: string; hash: Uint8Array }

/** Kinds of secrets: that of a scenario's link, which all visitors share, and that of one visitor's session. */
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

/** Returns the public part of a secret; undefined if the text does not have the format of one. */
export function lookupOf(kind: SecretKind, secret: string): string | undefined {
  return new RegExp(`^${PREFIXES[kind]}([0-9a-f]{12})[\\w-]{43}$`).exec(secret)?.[1]
}

/** Whether a secret has this hash. Hashes are compared in constant time. */
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
