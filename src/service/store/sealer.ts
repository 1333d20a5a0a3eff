import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { parseStored } from '../../api/contract/json-depth.ts'

/** Encrypts what must not be readable from a stolen database file. */
export type Sealer = {
  /** `place` names the row and column, so that a sealed value cannot be moved to another one. */
  seal(value: unknown, place: string): Uint8Array
  open<T>(sealed: Uint8Array, place: string): T
}

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const SEALING_KEY_BYTES = 32

/** Seals JSON values with AES-256-GCM: nonce, tag, ciphertext. */
export function createSealer(key: Uint8Array): Sealer {
  return {
    seal(value, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    open<T>(sealed: Uint8Array, place: string) {
      const bytes = Buffer.from(sealed)
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), {
        authTagLength: TAG_BYTES,
      })
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return parseStored(Buffer.concat([text, decipher.final()]).toString('utf8')) as T
    },
  }
}
