import { BlockList, isIP } from 'node:net'

/** IPv4 ranges that are not on the public internet (IANA special-purpose registry). */
const PRIVATE_V4 = [
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
] as const

const PRIVATE_V6 = [
  ['::1', 128],
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
] as const

const ranges = rangesOf()

/**
 * Whether an address is private, link-local, loopback or otherwise not on the public internet, also where an IPv6
 * address carries such an IPv4 one (mapped, compatible, NAT64, 6to4). What is no address is not.
 */
export function isPrivateAddress(address: string): boolean {
  const family = isIP(address)
  return family !== 0 && ranges.check(address, family === 4 ? 'ipv4' : 'ipv6')
}

/** The list checks mapped addresses by the IPv4 ranges itself. */
function rangesOf(): BlockList {
  const list = new BlockList()
  for (const [address, prefix] of PRIVATE_V6) list.addSubnet(address, prefix, 'ipv6')
  for (const [address, prefix] of PRIVATE_V4) {
    const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number)
    const embedded = `${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`
    list.addSubnet(address, prefix, 'ipv4')
    list.addSubnet(`::${embedded}`, 96 + prefix, 'ipv6')
    list.addSubnet(`64:ff9b::${embedded}`, 96 + prefix, 'ipv6')
    list.addSubnet(`2002:${embedded}::`, 16 + prefix, 'ipv6')
  }
  return list
}
