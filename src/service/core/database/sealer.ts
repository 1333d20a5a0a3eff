import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { parseStored } from '../../../lib/json.ts'
import { mayHoldSecrets } from '../urls.ts'
import type { Database } from '../../../lib/sqlite.ts'

/** Encrypts values that must not be readable if the database file is stolen. */
export type Sealer = {
  /** Encrypts a value. `place` names its row and column, so that the value cannot be decrypted in another place. */
  seal(value: unknown, place: string): Uint8Array
  open<T>(sealed: Uint8Array, place: string): T
  /** Returns an address for a text column. It is encrypted if it may contain secrets, else unchanged. */
  sealUrl(url: string, place: string): string
  /** @throws if the value was encrypted for another place */
  openUrl(stored: string, place: string): string
}

/** Prefix of an encrypted address. No real address begins like this. */
const SEALED = 'sealed:'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const SEALING_KEY_BYTES = 32

/** Creates a sealer, which encrypts JSON values with AES-256-GCM: nonce, tag, ciphertext. */
export function createSealer(keyBytes: Uint8Array): Sealer {
  // A key given as bytes would be converted for each value, which makes decryption three times slower.
  const key = createSecretKey(keyBytes)
  const sealer: Sealer = {
    seal(value, place) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, key, nonce).setAAD(Buffer.from(place))
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    open<T>(sealed: Uint8Array, place: string) {
      const bytes = Buffer.from(sealed)
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      const text = decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
      return parseStored(Buffer.concat([text, decipher.final()]).toString('utf8')) as T
    },
    sealUrl: (url, place) =>
      mayHoldSecrets(url) ? SEALED + Buffer.from(sealer.seal(url, place)).toString('base64url') : url,
    openUrl: (stored, place) =>
      stored.startsWith(SEALED)
        ? sealer.open<string>(Buffer.from(stored.slice(SEALED.length), 'base64url'), place)
        : stored,
  }
  return sealer
}

/** Columns with addresses. Older versions stored all of them unencrypted. */
const URL_COLUMNS = [
  ['server', 'url'],
  ['serverConnection', 'url'],
  ['readinessRun', 'serverUrl'],
] as const

/** Returns the place of an encrypted address, see {@link Sealer}. */
export function urlPlace(table: (typeof URL_COLUMNS)[number][0], id: string): string {
  return `${table}/${id}/url`
}

/** Whether addresses with secrets, which older versions stored unencrypted, are still in the database. */
export function hasPlainUrls(database: Database): boolean {
  return URL_COLUMNS.some(
    ([table, column]) => database.get(`SELECT 1 FROM ${table} WHERE ${plain(column)} LIMIT 1`) !== undefined,
  )
}

/** Encrypts the addresses that {@link hasPlainUrls} finds, inside the caller's transaction. */
export function sealPlainUrls(database: Database, sealer: Sealer): void {
  for (const [table, column] of URL_COLUMNS)
    for (const { id, url } of database.all<{ id: string; url: string }>(
      `SELECT id, ${column} AS url FROM ${table} WHERE ${plain(column)}`,
    ))
      database.run(`UPDATE ${table} SET ${column} = :url WHERE id = :id`, {
        id,
        url: sealer.sealUrl(url, urlPlace(table, id)),
      })
}

function plain(column: string): string {
  return `(${column} LIKE '%?%' OR ${column} LIKE '%@%')`
}
