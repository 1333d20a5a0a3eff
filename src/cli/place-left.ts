import { readKeptFile, writeKeptFile } from '../api/kept-file.ts'
import { screens } from '../app/registry.ts'
import { formatPlace, type Place } from '../tui/router/place.ts'
import type { Log } from './output/log.ts'

const routes = screens.map(screen => screen.route)

/** Locator of the place that was left last, below the profile; undefined where none is kept. */
export function readPlaceLeft(file: string): string | undefined {
  const kept = readKeptFile(file)
  return typeof kept === 'object' && kept !== null && 'place' in kept && typeof kept.place === 'string'
    ? kept.place
    : undefined
}

/** Keeps the place for the next start, however that is started; a failure is noted and changes nothing. */
export function keepPlaceLeft(file: string, place: Place, log: Log): void {
  try {
    writeKeptFile(file, { place: formatPlace(routes, place) })
  } catch (error) {
    log.error(error)
  }
}
