import { plural } from '../../lib/format.ts'
import type { SnapshotChange } from '../servers/snapshots.ts'
import type { ServerLook } from './watched-tools.ts'

const MOST_FILES = 3
const MOST_CHANGES = 8

/** Returns a sentence such as `src/server.ts and 4 others changed.` */
export function filesLabel(files: readonly string[]): string {
  const others = files.length - MOST_FILES
  const shown = files.slice(0, MOST_FILES).join(', ')
  return `${shown}${others > 0 ? ` and ${plural(others, 'other')}` : ''} changed.`
}

const IMPACTS = { breaking: 'breaking', unknown: 'may break', safe: 'not breaking' } as const

/** Returns what changed in what a server offers, worded as in `snapshot diff`, breaking changes first. */
export function changeLines({ server, ...look }: ServerLook): string[] {
  if ('error' in look) return []
  const line = ({ impact, of, name, says }: SnapshotChange): string =>
    `${server.name}: ${IMPACTS[impact]}: ${of} ${name}: ${says}`
  const old = look.mayBeOld ? [`${server.name}: answered all the time, so it is tested as it is; restart it.`] : []
  const rest = look.changes.length - MOST_CHANGES
  const more = rest > 0 ? [`${server.name}: ${plural(rest, 'further change')}`] : []
  return [...old, ...look.changes.slice(0, MOST_CHANGES).map(line), ...more]
}
