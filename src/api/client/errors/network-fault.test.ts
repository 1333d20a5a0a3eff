import { describe, expect, test } from 'vitest'
import { lineFault } from './network-fault.ts'

const thrownBy = (syscall: string, code: string) =>
  new TypeError('fetch failed', { cause: Object.assign(new Error(`${syscall} ${code}`), { code, syscall }) })

describe('a route that is missing', () => {
  test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'])(
    '%s while connecting: nothing was sent',
    code => {
      expect(lineFault(thrownBy('connect', code))).toMatchObject({ fault: 'unreachable', sent: false })
    },
  )

  test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN'])(
    '%s on an open connection: the request may have arrived',
    code => {
      for (const syscall of ['read', 'write'])
        expect(lineFault(thrownBy(syscall, code))).toMatchObject({ fault: 'unreachable', sent: true })
    },
  )
})
