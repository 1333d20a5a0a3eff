import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import { type LookupFunction, BlockList, isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { FetchLike } from '@modelcontextprotocol/client'
import { isPlainObject } from '../../lib/json.ts'
import { onceFor } from '../../lib/once-for.ts'
import { limitBody } from './http-request.ts'

export type AddressLookup = (name: string) => Promise<readonly LookupAddress[]>

/** Maximum size of metadata in bytes. It is one page of JSON. */
const MOST_METADATA_BYTES = 1024 * 1024

const addressesOf: AddressLookup = name =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/** Thrown if the metadata of a server names a forbidden address. */
export class AddressRefused extends Error {
  override readonly name = 'AddressRefused'
}

/** `refuses` says whether an address is forbidden in the metadata of a server, `why` gives the reason. */
type Bounds = { refuses: (address: string) => boolean; why: string }

/**
 * Creates a fetch for addresses in a server's metadata. A server with a public address may name only public addresses.
 * A server on another machine of a private network may not name this machine. A server on this machine may name any
 * address. Addresses are checked when connecting. Redirects are not followed.
 */
export function createMetadataFetch(
  serverUrl: string,
  signal: AbortSignal,
  lookupAddresses: AddressLookup = addressesOf,
): FetchLike {
  let transport: Promise<FetchLike> | undefined
  return async (input, init) => {
    transport ??= boundsOf(serverUrl, lookupAddresses).then(bounds =>
      bounds ? boundedFetch(bounds, lookupAddresses) : fetch,
    )
    const answer = await (await transport)(input, { ...init, redirect: 'manual', signal })
    return await withoutEmpty(limitBody(answer, MOST_METADATA_BYTES, () => {}))
  }
}

/** Removes null and empty fields from an answer. Some servers send them instead of omitting the field. */
async function withoutEmpty(answer: Response): Promise<Response> {
  // The challenge is in the headers, so the body is not needed.
  if (answer.status === 401 || !answer.headers.get('content-type')?.includes('json')) return answer
  const { status, statusText } = answer
  const text = await answer.text().catch((error: unknown) => failing(error))
  const headers = new Headers(answer.headers)
  for (const name of ['content-length', 'content-encoding']) headers.delete(name)
  const given = [204, 205, 304].includes(status) ? null : typeof text === 'string' ? (present(text) ?? text) : text
  return new Response(given, { status, statusText, headers })
}

/** Returns a body that fails when it is read, so that the reader reports the error. */
function failing(error: unknown): ReadableStream {
  return new ReadableStream({ start: controller => controller.error(error) })
}

/** Returns the fields of an object that have a value, as JSON; undefined if the text is not JSON of an object. */
function present(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    if (!isPlainObject(value)) return undefined
    return JSON.stringify(Object.fromEntries(Object.entries(value).filter(([, each]) => each !== null && each !== '')))
  } catch {
    return undefined
  }
}

/**
 * Checks an address from metadata that is opened elsewhere, such as in a browser.
 * @throws AddressRefused
 */
export async function requireNameable(serverUrl: string, named: string): Promise<void> {
  const bounds = await boundsOf(serverUrl, addressesOf)
  const name = hostOf(new URL(named))
  const addresses = bounds ? await knownAddresses(name, addressesOf) : []
  if (bounds && addresses.some(bounds.refuses)) throw refusal(name, bounds)
}

async function boundsOf(serverUrl: string, lookupAddresses: AddressLookup): Promise<Bounds | undefined> {
  const addresses = await knownAddresses(hostOf(new URL(serverUrl)), lookupAddresses)
  if (addresses.length === 0 || !addresses.every(isPrivateAddress))
    return { refuses: isPrivateAddress, why: 'is a private address, and the server that names it is public' }
  const own = ownAddresses()
  const isOwn = (address: string): boolean => isIn(own, address)
  if (addresses.every(isOwn)) return undefined
  return { refuses: isOwn, why: 'is an address of this machine, and the server that names it is on another one' }
}

async function knownAddresses(name: string, lookupAddresses: AddressLookup): Promise<readonly string[]> {
  if (isIP(name) !== 0) return [name]
  try {
    return (await lookupAddresses(name)).map(({ address }) => address)
  } catch {
    return []
  }
}

/** Refuses forbidden addresses, both as written and as resolved. */
async function boundedFetch(bounds: Bounds, lookupAddresses: AddressLookup): Promise<FetchLike> {
  const { Agent, fetch: fetchOver } = await import('undici')
  const lookup: LookupFunction = (name, { all }, found) => {
    const tell = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses
      const isRefused = !first || addresses.some(({ address }) => bounds.refuses(address))
      if (isRefused) found(refusal(name, bounds), '', 0)
      else if (all) found(null, [...addresses])
      else found(null, first.address, first.family)
    }
    lookupAddresses(name).then(tell, (error: Error) => found(error, '', 0))
  }
  const dispatcher = new Agent({ connect: { lookup }, pipelining: 0 })
  return async (input, init) => {
    const name = hostOf(new URL(input))
    // Resolving applies only to names, so an IP address is checked as it is written.
    if (bounds.refuses(name)) throw refusal(name, bounds)
    return await fetchOver(input, { ...init, dispatcher } as never)
  }
}

function refusal(name: string, { why }: Bounds): Error {
  return new AddressRefused(`${name} ${why}.`)
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}

type Ranges = Record<'v4' | 'v6', readonly (readonly [address: string, prefix: number])[]>

/** Addresses that are not on the public internet (IANA special-purpose registry). */
const PRIVATE: Ranges = {
  v4: [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 4],
    ['240.0.0.0', 4],
  ],
  v6: [
    ['::1', 128],
    ['64:ff9b:1::', 48],
    ['100::', 64],
    ['2001::', 32],
    ['2001:db8::', 32],
    ['fc00::', 7],
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ],
}

/** Returns the loopback and wildcard addresses, and the current addresses of this machine in its networks. */
function ownAddresses(): Ranges {
  const found = Object.values(networkInterfaces()).flatMap((addresses = []) => addresses)
  const of = (family: string, bits: number) =>
    found.filter(each => each.family === family).map(({ address }) => [address, bits] as const)
  return { v4: [['0.0.0.0', 8], ['127.0.0.0', 8], ...of('IPv4', 32)], v6: [['::1', 128], ...of('IPv6', 128)] }
}

/** Whether an address is not on the public internet, including IPv4 inside IPv6 (mapped, compatible, NAT64, 6to4). */
export function isPrivateAddress(address: string): boolean {
  return isIn(PRIVATE, address)
}

function isIn(ranges: Ranges, address: string): boolean {
  const family = isIP(address)
  return family !== 0 && listOf(ranges).check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/**
 * Returns the block list of ranges. Block lists apply IPv4 ranges to mapped addresses too. The list is created at its
 * first use, since that takes 4 ms.
 */
const listOf = onceFor(({ v4, v6 }: Ranges) => {
  const list = new BlockList()
  for (const [address, prefix] of v6) list.addSubnet(address, prefix, 'ipv6')
  for (const [address, prefix] of v4) {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    const embedded = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
    list.addSubnet(address, prefix, 'ipv4')
    list.addSubnet(`::${embedded}`, 96 + prefix, 'ipv6')
    list.addSubnet(`64:ff9b::${embedded}`, 96 + prefix, 'ipv6')
    list.addSubnet(`2002:${embedded}::`, 16 + prefix, 'ipv6')
  }
  return list
})
