import fc from 'fast-check'
import { expect, test } from 'vitest'
import { tlsErrorText } from './system-error-text.ts'
import { anyCharacter } from '../../../../test/any-character.ts'

test.each([
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'its certificate has expired'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', "Hostname/IP does not match certificate's altnames", 'another name'],
  [
    'EPROTO',
    'write EPROTO C077F1:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/ssl3_record.c:355:\n',
    'no TLS is spoken there; http:// may be meant',
  ],
  [
    'ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE',
    'C0F7:error:0A000410:SSL routines:ssl3_read_bytes:sslv3 alert handshake failure:../deps/openssl/rec.c:1586:SSL alert number 40\n',
    'sslv3 alert handshake failure',
  ],
])('%s is explained in words', (code, message, words) => {
  expect(tlsErrorText(code, message)).toContain(words)
})

test('an error text is one short line without control characters, whatever a library reports', () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), message => {
      const words = tlsErrorText('EPROTO', message)
      expect(words).not.toMatch(/[\p{Cc}]/u)
      expect(words.length).toBeLessThanOrEqual(200)
    }),
  )
})
