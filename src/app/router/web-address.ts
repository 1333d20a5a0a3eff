import type { Place } from './place.ts'

/** Addresses of a hosted UI by screen, with `{projectId}` and the other parameters of its places. */
type WebAddresses = Readonly<Partial<Record<string, string>>>

const PARAMETER = /\{(\w+)\}/g

/** Where the hosted UI shows this place, or at least its project; undefined where no address is told for either. */
export function webAddress(addresses: WebAddresses, place: Place): string | undefined {
  for (const screen of [place.screen, 'projects']) {
    const template = Object.hasOwn(addresses, screen) ? addresses[screen] : undefined
    if (template === undefined) continue
    const names = [...template.matchAll(PARAMETER)].map(([, name]) => name!)
    if (!names.every(name => Object.hasOwn(place.params, name))) continue
    return template.replaceAll(PARAMETER, (_, name: string) => encodeURIComponent(place.params[name] ?? ''))
  }
  return undefined
}
