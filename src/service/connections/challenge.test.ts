import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bearerChallenge } from './http-request.ts'

const of = (value: string) => bearerChallenge({ headers: new Headers({ 'www-authenticate': value }) })

test.each<[string, string[], string | undefined, string | undefined]>([
  ['Bearer', [], undefined, undefined],
  ['Bearer resource_metadata="https://a.test/x"', ['https://a.test/x'], undefined, undefined],
  ['bearer scope=read, resource_metadata=https://a.test/x', ['https://a.test/x'], 'read', undefined],
  [
    'Basic realm="x", Bearer error="invalid_token", error_description="a, b", resource_metadata="https://a.test/x"',
    ['https://a.test/x'],
    undefined,
    'invalid_token',
  ],
  [
    'Bearer resource_metadata="https://a.test/1", error="insufficient_scope", resource_metadata="https://a.test/2", ' +
      'scope="read write"',
    ['https://a.test/1', 'https://a.test/2'],
    'read write',
    'insufficient_scope',
  ],
  ['Basic resource_metadata="https://a.test/x"', [], undefined, undefined],
  ['Bearer resource_metadata="", scope=""', [], undefined, undefined],
  ['Bearer realm="say \\"hi\\", Basic x=1", scope="a"', [], 'a', undefined],
  ['Negotiate YII=, Bearer scope="a"', [], 'a', undefined],
  [
    'DPoP algs="ES256", error="use_dpop_nonce", resource_metadata="https://a.test/x"',
    ['https://a.test/x'],
    undefined,
    'use_dpop_nonce',
  ],
])('the metadata URLs, scope and error of the challenge %s are read', (value, urls, scope, error) => {
  const found = of(value)
  expect(found.metadataUrls.map(({ href }) => href)).toEqual(urls)
  expect([found.scope, found.error]).toEqual([scope, error])
})

test('any text is parsed in time linear in its length', { timeout: 30_000 }, () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('B', 'e', '"', '\\', ',', '=', ' ', 'x'), maxLength: 60 }), text => {
      expect(of(text.trim()).metadataUrls).toEqual([])
    }),
  )
  for (const unit of ['"', '\\"', 'a=', 'a,', ' ']) expect(of(`Bearer ${unit.repeat(20_000)}x`).error).toBeUndefined()
})
