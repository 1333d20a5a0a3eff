import { serviceTime } from '../../api/client/transport/service-time.ts'
import type { LiveServer } from '../../api/contract/live-servers.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatAgo, formatCount, plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { isProgram } from './changed-server.ts'
import { useNow, useRunningNow } from './use-now.ts'

const MINUTE_MS = 60_000
const ORDINALS = new Intl.PluralRules('en', { type: 'ordinal' })
const SUFFIXES: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }

/**
 * Returns `started 12s ago, 3rd start`, over HTTP `connected 12s ago, 3rd connection`, with the earlier calls whose
 * state is lost; undefined if it is not connected and nothing is lost.
 */
export function processAge(
  { startedAt, starts, stateLost }: Pick<LiveServer, 'startedAt' | 'starts' | 'stateLost'>,
  ofProgram: boolean,
  now: number,
): string | undefined {
  const at = toEpochMs(startedAt)
  const [began, noun] = ofProgram ? ['started', 'start'] : ['connected', 'connection']
  const lost = lostState(stateLost, noun)
  if (at === undefined) return lost
  const age = now - at < MINUTE_MS ? `${Math.max(0, Math.floor((now - at) / 1000))}s ago` : formatAgo(at, now)
  return [`${began} ${age}, ${ordinal(starts)} ${noun}`, lost].filter(Boolean).join('; ')
}

/** Returns `the 1st start ended after 2 calls, its state is gone`; undefined if no process ended by itself. */
export function lostState(lost: LiveServer['stateLost'], noun = 'start'): string | undefined {
  return lost
    ? `the ${ordinal(lost.start)} ${noun} ended after ${plural(lost.calls, 'call')}, its state is gone`
    : undefined
}

/** Returns an ordinal number: `3rd`. */
export function ordinal(count: number): string {
  return formatCount(count) + (SUFFIXES[ORDINALS.select(count)] ?? 'th')
}

/** Returns the current age, updated every second while it is young; screen readers do not get each second. */
export function useProcessAge(live: LiveServer | undefined, server: ProjectServer): string | undefined {
  const { plain } = useTheme()
  const minute = useNow()
  const at = toEpochMs(live?.startedAt)
  const second = useRunningNow(!plain && at !== undefined && serviceTime(minute) - at < MINUTE_MS)
  return live && processAge(live, isProgram(server), serviceTime(Math.max(minute, second)))
}
