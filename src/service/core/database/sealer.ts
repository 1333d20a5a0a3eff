import { createCipheriv, createDecipheriv, createSecretKey, randomBytes } from 'node:crypto'
import { parseStored } from '../../../lib/json.ts'
import { mayHoldSecrets } from '../urls.ts'
import type { Database } from '../../../lib/sqlite.ts'

/** Encrypts what must not be readable from a stolen database file. */
export type Sealer = {
  /** `place` names the row and column, so that an encrypted value cannot be moved to another one. */
  seal(value: unknown, place: string): Uint8Array
  open<T>(sealed: Uint8Array, place: string): T
  /** An address for a text column: encrypted if it may contain secrets, else unchanged. */
  sealUrl(url: string, place: string): string
  /** @throws if it was encrypted for another place */
  openUrl(stored: string, place: string): string
}

/** No address starts with this. */
const SEALED = 'sealed:'

const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16
export const SEALING_KEY_BYTES = 32

/** Encrypts JSON values with AES-256-GCM: nonce, tag, ciphertext. */
export function createSealer(keyBytes: Uint8Array): Sealer {
  // From bytes a key would be created for each value, which makes opening one over three times as slow.
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

/** Columns with addresses, which older versions stored unencrypted. */
const URL_COLUMNS = [
  ['server', 'url'],
  ['serverConnection', 'url'],
  ['readinessRun', 'serverUrl'],
] as const

/** Returns the place that the secret of an address is bound to when it is encrypted. */
export function urlPlace(table: (typeof URL_COLUMNS)[number][0], id: string): string {
  return `${table}/${id}/url`
}

/** Whether an older version left addresses with secrets unencrypted. */
export function hasPlainUrls(database: Database): boolean {
  return URL_COLUMNS.some(
    ([table, column]) => database.get(`SELECT 1 FROM ${table} WHERE ${plain(column)} LIMIT 1`) !== undefined,
  )
}

/** Encrypts what {@link hasPlainUrls} finds; runs inside the caller's transaction. */
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
