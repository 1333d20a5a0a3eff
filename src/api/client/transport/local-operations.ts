import { isMissing } from '../errors/api-error.ts'

const NONE: ReadonlySet<string> = new Set()

/**
 * Reads once which operations a deployment offers beyond the published contract; one without capabilities offers
 * none. After any other failure it is read again the next time.
 */
export function createLocalOffer(readCapabilities: () => Promise<unknown>): () => Promise<ReadonlySet<string>> {
  let known: Promise<ReadonlySet<string>> | undefined
  const ask = async (): Promise<ReadonlySet<string>> => {
    try {
      const { local } = (await readCapabilities()) as { local?: unknown }
      return new Set(Array.isArray(local) ? local.filter(name => typeof name === 'string') : [])
    } catch (error) {
      if (isMissing(error)) return NONE
      known = undefined
      throw error
    }
  }
  return () => (known ??= ask())
}
