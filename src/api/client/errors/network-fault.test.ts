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

describe('a refused connection', () => {
  test('while connecting: nothing was sent', () => {
    const refused = Object.assign(new Error('connect'), { code: 'ECONNREFUSED', syscall: 'connect' })
    const several = Object.assign(new AggregateError([refused, refused]), { code: 'ECONNREFUSED' })
    for (const thrown of [thrownBy('connect', 'ECONNREFUSED'), new TypeError('fetch failed', { cause: several })])
      expect(lineFault(thrown)).toMatchObject({ fault: 'refused', sent: false })
    expect(lineFault(thrownBy('getaddrinfo', 'ENOTFOUND'))).toMatchObject({ fault: 'dns', sent: false })
  })

  test('on an open connection: the request may have arrived', () => {
    for (const syscall of ['read', 'write'])
      expect(lineFault(thrownBy(syscall, 'ECONNREFUSED'))).toMatchObject({ fault: 'refused', sent: true })
  })
})
