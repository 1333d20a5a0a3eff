import { pathToFileURL } from 'node:url'

/** The time at which a recording begins. */
const BEGINNING = Date.UTC(2026, 2, 3, 9, 30)
const VARIABLE = 'MCPDECK_TOUR_CLOCK_MS'

const System = Date
const ahead = Number(process.env[VARIABLE] ?? BEGINNING - System.now())
const now = () => System.now() + ahead

/** Sets the clock of a process that imports this to the day of the recording; it runs on from there. */
globalThis.Date = new Proxy(System, {
  construct: (target, given, as) => Reflect.construct(target, given.length === 0 ? [now()] : given, as) as Date,
  get: (target, name) => (name === 'now' ? now : (Reflect.get(target, name) as unknown)),
})

Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + ahead })

/** Environment variables that give a program the clock of this process. */
export const clockEnv = {
  TZ: 'UTC',
  [VARIABLE]: String(ahead),
  NODE_OPTIONS: `--import=${pathToFileURL(import.meta.filename).href}`,
}
