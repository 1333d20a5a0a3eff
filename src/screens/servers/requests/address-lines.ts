import { domainToUnicode } from 'node:url'
type AddressLine = { text: string; tone: 'plain' | 'warn' | 'error' }

/** Parses an address that a server wants the person to visit; undefined if no browser could open it. */
export function webAddressOf(url: unknown): URL | undefined {
  const address = typeof url === 'string' ? URL.parse(url) : null
  return address && ['https:', 'http:'].includes(address.protocol) ? address : undefined
}

/** Returns what a person must know about an address before opening it; its host first. */
export function addressLines(url: unknown): AddressLine[] {
  const address = webAddressOf(url)
  if (!address) return [{ text: `This is not a web address: ${String(url)}`, tone: 'error' }]
  const { host, hostname, protocol, username, password, href } = address
  const inUnicode = domainToUnicode(hostname)
  const warn = (isSo: boolean, text: string): AddressLine[] => (isSo ? [{ text, tone: 'warn' }] : [])
  return [
    { text: `Host: ${host}`, tone: 'plain' },
    ...warn(inUnicode !== hostname, `The host is not what it may look like: it is shown elsewhere as ${inUnicode}.`),
    ...warn(username !== '' || password !== '', 'The part before the @ is a user name, not a host.'),
    ...warn(protocol === 'http:', 'It is not encrypted: others can read and change the traffic.'),
    { text: `Whole address: ${href}`, tone: 'plain' },
    ...warn(href !== url, `As the server wrote it: ${String(url)}`),
  ]
}
