import { createHmac, createSecretKey, timingSafeEqual } from 'node:crypto'
import { ServiceError } from '../errors.ts'

/**
 * Creates and reads cursors. A cursor is a signed sort key of the last row that was sent, so that new rows do not shift
 * it.
 */
export type Cursors = {
  /** Creates a cursor. `list` names the list and its owner; the cursor is refused for any other list. */
  write(list: string, position: number | string): string
  /** @throws ServiceError `VALIDATION_ERROR` for a cursor of another list */
  read(list: string, cursor: string): number
  /** Like `read`, for lists that are sorted by more than one number. Such a sort key is ASCII text. */
  readText(list: string, cursor: string): string
}

const MAC_BYTES = 16

export function createCursors(secret: Uint8Array): Cursors {
  // A key given as bytes would be converted for each cursor.
  const key = createSecretKey(secret)
  const macOf = (list: string, position: string) =>
    createHmac('sha256', key).update(`${list}\n${position}`).digest().subarray(0, MAC_BYTES)
  const readText = (list: string, cursor: string): string => {
    const bytes = Buffer.from(cursor, 'base64url')
    const position = bytes.subarray(MAC_BYTES).toString('latin1')
    const mac = bytes.subarray(0, MAC_BYTES)
    // Decoding ignores characters that are not base64url, so only exactly the text that was issued is accepted.
    const asGiven = bytes.length > MAC_BYTES && bytes.toString('base64url') === cursor
    if (asGiven && timingSafeEqual(mac, macOf(list, position))) return position
    throw new ServiceError('VALIDATION_ERROR', 'The cursor does not belong to this list.', {
      details: { field: 'cursor' },
    })
  }
  return {
    write: (list, position) =>
      Buffer.concat([macOf(list, String(position)), Buffer.from(String(position))]).toString('base64url'),
    read: (list, cursor) => Number(readText(list, cursor)),
    readText,
  }
}
