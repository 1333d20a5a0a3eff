import { createServer } from 'node:http'
import { once } from 'node:events'
import type { LookupAddress } from 'node:dns'
import type { AddressInfo } from 'node:net'
import { networkInterfaces } from 'node:os'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { isPrivateAddress, createMetadataFetch, requireNameable } from './metadata-fetch.ts'

const PUBLIC: LookupAddress = { address: '93.184.216.34', family: 4 }
const PRIVATE_FORMS = [
  '127.0.0.1',
  '127.1',
  '2130706433',
  '0x7f000001',
  '0177.0.0.1',
  '0.0.0.0',
  '10.1.2.3',
  '169.254.169.254',
  '100.100.100.200',
  '[::1]',
  '[::]',
  '[fe80::1]',
  '[fd00::1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:a9fe:a9fe]',
  '[::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[2002:7f00:1::]',
]

/** Opens a port on this machine, and counts the connections to it. */
async function listening() {
  let connections = 0
  const server = createServer((_request, response) => void response.end('{}'))
  server.on('connection', () => (connections += 1)).listen(0)
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { port: (server.address() as AddressInfo).port, connections: () => connections }
}

const never = new AbortController().signal

test.each(PRIVATE_FORMS)('metadata of a public server cannot lead to %s', async host => {
  const { port, connections } = await listening()
  const fetchFn = createMetadataFetch('https://public.test/mcp', never, async () => [PUBLIC])
  await expect(fetchFn(`http://${host}:${port}/`)).rejects.toThrow('private address')
  expect(connections()).toBe(0)
})

test.each<[string, LookupAddress[]]>([
  ['a private address', [{ address: '127.0.0.1', family: 4 }]],
  ['a mapped one', [{ address: '::ffff:127.0.0.1', family: 6 }]],
  ['a public and a private one', [PUBLIC, { address: '127.0.0.1', family: 4 }]],
])(
  'metadata of a public server cannot lead to a name that resolves to %s, whatever it resolved to before',
  async (_what, addresses) => {
    const { port, connections } = await listening()
    let looks = 0
    const fetchFn = createMetadataFetch('https://public.test/mcp', never, async name => {
      looks += 1
      return name === 'public.test' ? [PUBLIC] : addresses
    })
    await expect(fetchFn(`http://other.test:${port}/`)).rejects.toThrow('fetch failed')
    expect(looks).toBe(2)
    expect(connections()).toBe(0)
  },
)

test('a redirect cannot lead to this machine, but metadata of a server on this machine can', async () => {
  const { port, connections } = await listening()
  const redirecting = createServer((_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end()
  }).listen(0, '127.0.0.1')
  await once(redirecting, 'listening')
  onTestFinished(() => void redirecting.close())
  const { port: first } = redirecting.address() as AddressInfo
  const fetchFn = createMetadataFetch(`http://127.0.0.1:${first}/mcp`, never)
  expect((await fetchFn(`http://127.0.0.1:${first}/`)).status).toBe(302)
  expect(connections()).toBe(0)
  expect(await (await fetchFn(`http://localhost:${port}/`)).text()).toBe('{}')
})

test.each(['127.0.0.1', '[::1]', '0.0.0.0', '[::ffff:127.0.0.1]', 'own.test'])(
  'metadata of a server on another machine of the same network cannot lead to %s',
  async host => {
    const { port, connections } = await listening()
    const lookup = async (name: string): Promise<LookupAddress[]> => [
      { address: name === 'own.test' ? '127.0.0.1' : '192.168.7.8', family: 4 },
    ]
    const fetchFn = createMetadataFetch('http://printer.test/mcp', never, lookup)
    await expect(fetchFn(`http://${host}:${port}/`)).rejects.toThrow(/address of this machine|fetch failed/)
    expect(connections()).toBe(0)
  },
)

/** This machine's addresses in its networks. */
const NETWORK = Object.values(networkInterfaces())
  .flatMap((addresses = []) => addresses)
  .filter(({ internal }) => !internal)
  .map(({ address, family }) => (family === 'IPv6' ? `[${address}]` : address))

test.each<[string, string, boolean]>([
  ...NETWORK.map((own): [string, string, boolean] => ['http://192.168.7.8/mcp', `http://${own}/authorize`, false]),
  ['https://93.184.216.34/mcp', 'https://127.0.0.1/authorize', false],
  ['https://93.184.216.34/mcp', 'https://[fd00::1]/authorize', false],
  ['https://93.184.216.34/mcp', 'https://93.184.216.35/authorize', true],
  ['http://192.168.7.8/mcp', 'http://127.0.0.1/authorize', false],
  ['http://192.168.7.8/mcp', 'https://192.168.7.9/authorize', true],
  ['http://127.0.0.1/mcp', 'http://127.0.0.1:9/authorize', true],
])('a server at %s may name %s to be opened: %s', async (serverUrl, named, may) => {
  const refused = await requireNameable(serverUrl, named).catch((error: unknown) => error)
  expect(refused === undefined || refused).toEqual(may || expect.objectContaining({ name: 'AddressRefused' }))
})

test('every IPv4 address is treated like each IPv6 form that contains it', () => {
  fc.assert(
    fc.property(fc.ipV4(), address => {
      const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
      const hex = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
      const expected = isPrivateAddress(address)
      for (const form of [`::ffff:${hex}`, `64:ff9b::${hex}`, `2002:${hex}::1`])
        expect({ form, isPrivate: isPrivateAddress(form) }).toEqual({ form, isPrivate: expected })
    }),
  )
  expect(isPrivateAddress('93.184.216.34')).toBe(false)
  expect(isPrivateAddress('2606:2800:220:1:248:1893:25c8:1946')).toBe(false)
  expect(isPrivateAddress('example.org')).toBe(false)
})
