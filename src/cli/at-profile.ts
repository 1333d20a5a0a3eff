import { profileOf } from '../app/router/place.ts'
import { UNNAMED } from './profiles.ts'
import type { CommonOptions } from './settings.ts'

/** A whole locator opens in its profile; an address without a profile has a name that chooses nothing. */
export function atProfileOf(placeText: string | undefined, options: CommonOptions): CommonOptions {
  const profile = placeText === undefined ? undefined : profileOf(placeText)
  if (profile === undefined || profile === UNNAMED || options.profile !== undefined) return options
  return options.local || options.baseUrl !== undefined ? options : { ...options, profile }
}
