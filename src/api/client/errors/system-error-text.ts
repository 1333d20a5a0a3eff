import { printable } from '../../../lib/printable.ts'
import { ownValue } from '../../../lib/own-value.ts'

const BY_CODE: Readonly<Record<string, string>> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet; the clock of this machine may be behind',
  CERT_REVOKED: 'its certificate was revoked',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate comes from an authority that this machine does not trust',
  UNABLE_TO_GET_ISSUER_CERT: 'the authority of its certificate is unknown here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the authority of its certificate is unknown here',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate came without those that vouch for it',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another name',
  HOSTNAME_MISMATCH: 'its certificate is for another name',
  ERR_SSL_WRONG_VERSION_NUMBER: 'no TLS is spoken there; http:// may be meant',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'no TLS is spoken there; http:// may be meant',
  ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION: 'it speaks only versions of TLS that are not used here',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'it speaks only versions of TLS that are not used here',
}

/** Reasons as OpenSSL writes them inside longer messages. */
const BY_REASON: readonly (readonly [RegExp, string])[] = [
  [/wrong version number|packet length too long|http request/i, BY_CODE['ERR_SSL_WRONG_VERSION_NUMBER']!],
  [/protocol version|unsupported protocol/i, BY_CODE['ERR_SSL_UNSUPPORTED_PROTOCOL']!],
]

/**
 * Matches a message such as `C0A7…:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:file.c:355:` and
 * its readable reason.
 */
const OPENSSL = /error:[0-9A-F]+:[^:]*:[^:]*:([^:\n]+)/i

/** Returns why an encrypted connection failed, as the end of a sentence. */
export function tlsErrorText(code: string | undefined, message: string): string {
  const known = ownValue(BY_CODE, code) ?? BY_REASON.find(([pattern]) => pattern.test(message))?.[1]
  if (known !== undefined) return known
  const said = (OPENSSL.exec(message)?.[1] ?? message).trim().split(/\s+/).join(' ')
  return printable(said).replace(/\.$/, '').slice(0, 200)
}

/**
 * Matches a message such as `EACCES: permission denied, mkdir '/x'`, in which Node reports an error of the operating
 * system.
 */
const OF_THE_SYSTEM = /^E[A-Z0-9]+: (.+?), [a-z]+(?: |$)/

/** Returns what went wrong, for a sentence that already names the file: without codes, calls and a full stop. */
export function systemErrorReason(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return (OF_THE_SYSTEM.exec(message)?.[1] ?? message).replace(/\.$/, '')
}

/** Returns what went wrong, with the file if the operating system names one. */
export function systemErrorText(error: unknown): string {
  const why = systemErrorReason(error)
  return error instanceof Error && 'syscall' in error && 'path' in error && typeof error.path === 'string'
    ? `${error.path}: ${why}`
    : why
}
