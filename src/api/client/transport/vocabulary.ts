import { ApiError } from '../errors/api-error.ts'

export type Vocabulary = { service: string; version: '1' | '2' }

/** Maximum depth at which an announcement is searched. The body of `GET /capabilities` is not documented. */
const DEPTH = 4

function names2(value: unknown, depth: number): boolean {
  if (value === 2 || value === '2') return true
  if (depth === 0 || typeof value !== 'object' || value === null) return false
  return Object.values(value).some(inner => names2(inner, depth - 1))
}

function announces2(value: unknown, depth: number): boolean {
  if (depth === 0 || typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, inner]) =>
    /vocabular/i.test(key) ? names2(inner, depth) : announces2(inner, depth - 1),
  )
}

/** Returns the newest vocabulary that a deployment announces. Without such a block it is 1 (contract: "Versioning"). */
export function announcedVocabulary(capabilities: unknown): '1' | '2' {
  return announces2(capabilities, DEPTH) ? '2' : '1'
}

/** Asks a deployment for its vocabulary at the first read, and again after a failure without an HTTP error status. */
export function createNegotiation(
  service: string,
  readCapabilities: () => Promise<unknown>,
): () => Promise<Vocabulary | undefined> {
  let known: Promise<Vocabulary | undefined> | undefined
  const ask = async (): Promise<Vocabulary | undefined> => {
    try {
      const version = announcedVocabulary(await readCapabilities())
      return version === '2' ? { service, version } : undefined
    } catch (error) {
      if (!(error instanceof ApiError && error.kind === 'http')) known = undefined
      return undefined
    }
  }
  return () => (known ??= ask())
}
