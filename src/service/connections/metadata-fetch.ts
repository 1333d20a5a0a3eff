import { lookup as systemLookup, type LookupAddress } from 'node:dns'
import type { LookupFunction } from 'node:net'
import type { FetchLike } from '@modelcontextprotocol/client'
import { isPrivateAddress } from './address-ranges.ts'
import { limitBody } from './http-request.ts'

/** Every address of a name. */
export type AddressLookup = (name: string) => Promise<readonly LookupAddress[]>

/** Metadata is a page of JSON; more is not read. */
const MOST_METADATA_BYTES = 1024 * 1024

const addressesOf: AddressLookup = name =>
  new Promise((resolve, reject) => {
    systemLookup(name, { all: true }, (error, addresses) => (error ? reject(error) : resolve(addresses)))
  })

/**
 * A fetch for what a server's metadata names. A server on the public internet leads to public addresses only: every
 * address is checked when it is connected to, after the name was looked up, and redirects are not followed.
 */
export function createMetadataFetch(
  serverUrl: string,
  signal: AbortSignal,
  lookupAddresses: AddressLookup = addressesOf,
): FetchLike {
  let transport: Promise<FetchLike> | undefined
  return async (input, init) => {
    transport ??= isPublic(serverUrl, lookupAddresses).then(guarded => (guarded ? publicFetch(lookupAddresses) : fetch))
    const answer = await (await transport)(input, { ...init, redirect: 'manual', signal })
    return limitBody(answer, MOST_METADATA_BYTES, () => {})
  }
}

/** Whether a server is on the public internet; one whose name cannot be looked up counts as public. */
async function isPublic(serverUrl: string, lookupAddresses: AddressLookup): Promise<boolean> {
  const name = hostOf(new URL(serverUrl))
  if (isPrivateAddress(name)) return false
  try {
    const addresses = await lookupAddresses(name)
    return !addresses.every(({ address }) => isPrivateAddress(address))
  } catch {
    return true
  }
}

/** Refuses private addresses, as they are written and as names resolve to them. */
async function publicFetch(lookupAddresses: AddressLookup): Promise<FetchLike> {
  const { Agent, fetch: fetchOver } = await import('undici')
  const lookup: LookupFunction = (name, { all }, found) => {
    const tell = (addresses: readonly LookupAddress[]): void => {
      const [first] = addresses
      const isRefused = !first || addresses.some(({ address }) => isPrivateAddress(address))
      if (isRefused) found(refusal(name), '', 0)
      else if (all) found(null, [...addresses])
      else found(null, first.address, first.family)
    }
    lookupAddresses(name).then(tell, (error: Error) => found(error, '', 0))
  }
  const dispatcher = new Agent({ connect: { lookup }, pipelining: 0 })
  return async (input, init) => {
    const name = hostOf(new URL(input))
    // A written address is never looked up.
    if (isPrivateAddress(name)) throw refusal(name)
    return await fetchOver(input, { ...init, dispatcher } as never)
  }
}

function refusal(name: string): Error {
  return new Error(`${name} is a private address, and the server that names it is public.`)
}

/** The host as Node's address functions take it. */
function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1')
}
